#include "report/page_subject.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include "core/index.hpp"
#include "report/page_plane.hpp"
#include "report/regions.hpp"
#include "report/verdict.hpp"
#include "report/words.hpp"

namespace lacuna {

namespace {

// More marks than this cannot be told apart; the remaining strata are drawn as one.
constexpr std::size_t max_marks = 6;
constexpr std::size_t max_class_words = 3;

class SubjectMaker {
public:
  explicit SubjectMaker(const PageInput& input) : input_(input) {}

  ReportSubject make() {
    subject_.name = input_.name;
    subject_.title = input_.title;
    subject_.class_names = input_.class_names;
    if (input_.test != nullptr) place_rows();
    if (input_.fit && !input_.fit->stack.members.empty())
      subject_.trust = ReportTrust{input_.fit->stack, gaps_words(input_.fit->stack),
                                   check_words(input_.fit->stack), input_.trust_curve};
    if (input_.promises)
      subject_.promises = ReportPromises{*input_.promises, promise_words(*input_.promises)};
    add_sentences_of_fit();
    if (input_.methods.empty()) {
      if (input_.fit) add_self_check();
    } else {
      add_judged();
    }
    return std::move(subject_);
  }

private:
  void add_judged() {
    choose_strata();
    for (const PageMethod& method : input_.methods) add_method(method);
    add_verdicts();
    subject_.sentences.push_back(has_kappa() ? sentence_by_region() : sentence_overall());
    add_words();
  }

  void add_self_check() {
    const auto found =
        self_check_verdict(input_.name, input_.fit->stack, static_cast<Index>(input_.class_names.size()));
    if (found) subject_.verdicts.push_back(*found);
  }

  bool has_kappa() const { return input_.fit && input_.fit->n_unlabeled > 0 && input_.test != nullptr; }
  bool is_informative(Index row) const { return input_.test->log_ratio()[at(row)] > input_.fit->kappa; }
  /// Of the methods, the one that words are about: ours, when it is there.
  const PageMethod& main_method() const {
    const auto found = std::find_if(input_.methods.rbegin(), input_.methods.rend(),
                                    [](const PageMethod& method) { return method.name == "mar"; });
    return found != input_.methods.rend() ? *found : input_.methods.back();
  }

  void place_rows() {
    test_ = input_.test->drawn();
    make_drawable(test_, input_.categories);
    RowSample::Drawn train;
    if (input_.train != nullptr) {
      train = input_.train->drawn();
      make_drawable(train, input_.categories);
    }
    plane_ = make_plane(input_, test_, input_.train != nullptr ? &train : nullptr);
    subject_.plane = plane_.plane;
    subject_.test = {input_.test->n_rows(), plane_.test.x, plane_.test.y, test_.label, {}};
    for (const Index row : test_.row) subject_.test.log_ratio.push_back(input_.test->log_ratio()[at(row)]);
    if (input_.train != nullptr && input_.fit) {
      std::vector<Index> counts = input_.fit->class_counts;
      counts.resize(input_.class_names.size());
      subject_.data =
          ReportDataView{input_.train->n_rows(), counts, plane_.train.x, plane_.train.y, train.label};
    }
    if (!has_kappa()) return;
    ReportKappa kappa{input_.fit->kappa, kappa_positions(input_.fit->kappa, input_.test->log_ratio()), {}};
    if (kappa.positions.empty()) return;
    if (const std::vector<double> ratios = unlabeled_ratios(); !ratios.empty())
      kappa.counts.push_back(count_informative("unlabeled training rows", ratios, kappa.positions));
    kappa.counts.push_back(count_informative("test rows", input_.test->log_ratio(), kappa.positions));
    subject_.kappa = std::move(kappa);
  }

  /// Labeled training rows, and all of those whose log ratio nobody knows, carry NaN.
  std::vector<double> unlabeled_ratios() const {
    if (input_.train == nullptr) return {};
    std::vector<double> ratios = input_.train->log_ratio();
    std::erase_if(ratios, [](double ratio) { return std::isnan(ratio); });
    return ratios;
  }

  /// The strata that were asked for, those that labels reach least first; or, when none were, the rows about
  /// which labels say nothing and the others.
  void choose_strata() {
    const ScoredRows& scored = *input_.methods.front().scored;
    if (scored.stratum_names.empty() && !has_kappa()) return;
    if (scored.stratum_names.empty()) {
      strata_ = {"rows where labels say nothing", "informative rows"};
      subject_.stratum_note =
          "Crosses are errors in rows where labels say nothing (log ratio at most kappa), dots "
          "those in informative rows; the two add up to the line.";
      return;
    }
    std::vector<double> n_informative(scored.stratum_names.size());
    std::vector<double> n_rows(scored.stratum_names.size());
    for (Index i = 0; i < scored.n_rows(); ++i) {
      const int stratum = scored.stratum[at(i)];
      if (stratum == no_stratum) continue;
      n_rows[at(stratum)] += 1.0;
      if (has_kappa() && is_informative(i)) n_informative[at(stratum)] += 1.0;
    }
    std::vector<std::size_t> order(scored.stratum_names.size());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      return n_informative[a] * n_rows[b] < n_informative[b] * n_rows[a];
    });
    place_of_stratum_.resize(order.size());
    for (std::size_t i = 0; i < order.size(); ++i) {
      place_of_stratum_[order[i]] = static_cast<int>(std::min(i, max_marks - 1));
      if (i < max_marks) strata_.push_back(scored.stratum_names[order[i]]);
    }
    if (order.size() > max_marks)
      strata_.back() = fmt::format("{} other strata", order.size() - max_marks + 1);
    subject_.stratum_note =
        "The marks are the parts of the error that each stratum brings; they add up to the line.";
  }

  void add_method(const PageMethod& method) {
    ReportMethod result{method.name,       method.group,       {},      {},
                        method.evaluation, method.diagnostics, strata_, {}};
    const ScoredRows& scored = *method.scored;
    for (const Index row : test_.row) {
      result.prediction.push_back(scored.prediction[at(row)]);
      result.error_probability.push_back(scored.error_probability[at(row)]);
    }
    if (!strata_.empty()) {
      ScoredRows parted = scored;
      parted.stratum_names = strata_;
      for (Index i = 0; i < parted.n_rows(); ++i) {
        int& stratum = parted.stratum[at(i)];
        if (place_of_stratum_.empty())
          stratum = is_informative(i) ? 1 : 0;
        else if (stratum != no_stratum)
          stratum = place_of_stratum_[at(stratum)];
      }
      const ReliabilityCurve& curve = method.diagnostics.reliability;
      result.diagnostics.reliability = reliability_curve(parted, curve.bin_kind, curve.n_bins);
    }
    if (method.score && (plane_.is_columns || plane_.is_features))
      result.field = make_field(plane_.plane, method, static_cast<Index>(input_.class_names.size()));
    subject_.methods.push_back(std::move(result));
  }

  void add_verdicts() {
    for (const PageMethod& method : input_.methods) {
      VerdictInput input{method.group.empty() ? method.name
                                              : fmt::format("{} ({})", method.name, method.group),
                         method.evaluation.overall,
                         parts_of(method),
                         method.diagnostics.risk_coverage,
                         static_cast<Index>(input_.class_names.size()),
                         nullptr};
      if (input_.test != nullptr) input.too_sure = [&] { return too_sure_part(region_rows(method)); };
      subject_.verdicts.push_back(verdict(input));
    }
    subject_.headline = verdict_headline(subject_.verdicts);
  }

  /// The strata that were asked for; or, when none were, the rows about which labels say nothing and the
  /// others.
  std::vector<JudgedRows> parts_of(const PageMethod& method) const {
    std::vector<JudgedRows> parts;
    for (const auto& [name, metrics] : method.evaluation.strata)
      parts.push_back({"in " + quoted(name), metrics.n, metrics.mean_error_probability, metrics.error_rate});
    if (!parts.empty() || !has_kappa()) return parts;
    const Sides sides = sides_of(method);
    return {judged("where labels are silent", sides.silent), judged("where labels speak", sides.speaking)};
  }

  struct Sums {
    double n = 0.0;
    double expected = 0.0;
    double made = 0.0;
  };
  struct Sides {
    Sums silent;
    Sums speaking;
  };
  Sides sides_of(const PageMethod& method) const {
    const ScoredRows& scored = *method.scored;
    Sides sides;
    for (Index i = 0; i < scored.n_rows(); ++i) {
      Sums& sums = is_informative(i) ? sides.speaking : sides.silent;
      sums.n += 1.0;
      sums.expected += scored.error_probability[at(i)];
      sums.made += scored.is_error(i) ? 1.0 : 0.0;
    }
    return sides;
  }
  static JudgedRows judged(const char* where, const Sums& sums) {
    return {where, static_cast<Index>(sums.n), sums.expected / sums.n, sums.made / sums.n};
  }

  void add_sentences_of_fit() {
    if (input_.fit) {
      const FitSummary& fit = *input_.fit;
      const auto n_labeled_classes = std::count_if(fit.class_counts.begin(), fit.class_counts.end(),
                                                   [](Index count) { return count > 0; });
      std::string first =
          fmt::format("{} of {} training rows have a label, of {} classes", count_words(fit.n_labeled),
                      count_words(fit.n_labeled + fit.n_unlabeled), n_labeled_classes);
      if (const auto n_bare = static_cast<Index>(input_.class_names.size()) - n_labeled_classes; n_bare > 0)
        first += fmt::format("; {} more {} no labeled row at all", n_bare, n_bare == 1 ? "has" : "have");
      subject_.sentences.push_back(first + ".");
      if (fit.n_unlabeled > 0)
        subject_.sentences.push_back(fmt::format(
            "{} of the {} unlabeled rows lie where labels say something; about the others the labels are "
            "silent.",
            percent_words(static_cast<double>(fit.n_informative) / static_cast<double>(fit.n_unlabeled)),
            count_words(fit.n_unlabeled)));
      else
        subject_.sentences.push_back("No training row lacks a label, so there is no region to mark off.");
    }
  }

  std::string sentence_overall() const {
    const PageMethod& method = main_method();
    const Metrics& metrics = method.evaluation.overall;
    return fmt::format("Of {} test rows, {} expected to be wrong in {} and was wrong in {}.",
                       count_words(metrics.n), method.name, percent_words(metrics.mean_error_probability),
                       percent_words(metrics.error_rate));
  }

  std::string sentence_by_region() const {
    const PageMethod& method = main_method();
    const auto& [silent, speaking] = sides_of(method);
    if (silent.n == 0.0 || speaking.n == 0.0)
      return fmt::format("{} of the test rows are informative. {}", silent.n == 0.0 ? "All" : "None",
                         sentence_overall());
    return fmt::format(
        "Where labels are silent, {} of the {} test rows, {} expects to be wrong in {} and was wrong in {}; "
        "elsewhere it expects {} and was wrong in {}.",
        percent_words(silent.n / (silent.n + speaking.n)), count_words(method.scored->n_rows()), method.name,
        percent_words(silent.expected / silent.n), percent_words(silent.made / silent.n),
        percent_words(speaking.expected / speaking.n), percent_words(speaking.made / speaking.n));
  }

  void add_words() {
    if (subject_.trust && subject_.trust->stack.gaps.empty())
      subject_.words.push_back({"Outside the region", subject_.trust->gaps_words});
    const PageMethod& method = main_method();
    const auto add = [&](const std::vector<ReportWords>& words) {
      for (const ReportWords& word : words)
        subject_.words.push_back(
            {input_.methods.size() > 1 ? method.name + ": " + word.head : word.head, word.text});
    };
    add(class_words(input_.class_names, *method.scored, max_class_words));
    if (input_.test != nullptr) add(region_words(region_rows(method)));
  }

  /// The drawn test rows, for words about where a method does well.
  RegionRows region_rows(const PageMethod& method) const {
    const bool has_columns = test_.columns.n_cols() > 0;
    RegionRows rows{has_columns ? test_.columns.view() : test_.features.view(),
                    has_columns ? input_.column_names : input_.feature_names,
                    {},
                    {},
                    static_cast<Index>(input_.class_names.size())};
    for (const Index row : test_.row) {
      rows.error_probability.push_back(method.scored->error_probability[at(row)]);
      rows.is_error.push_back(method.scored->is_error(row) ? 1 : 0);
    }
    return rows;
  }

  const PageInput& input_;
  ReportSubject subject_;
  RowSample::Drawn test_;
  PagePlane plane_;
  std::vector<std::string> strata_;
  std::vector<int> place_of_stratum_; ///< by the stratum's number in the scored rows
};

} // namespace

ReportSubject make_subject(const PageInput& input) {
  PageInput drawable = input;
  drawable.column_names = flag_names(input.column_names, input.categories);
  drawable.feature_names = flag_names(input.feature_names, input.categories);
  return SubjectMaker(drawable).make();
}

} // namespace lacuna
