#include "lacuna/learning/learner.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <memory>
#include <thread>

#include <fmt/format.h>

#include "core/index.hpp"
#include "core/parallel.hpp"
#include "core/pass_place.hpp"
#include "data/gather_pass.hpp"
#include "data/whole_table.hpp"
#include "lacuna/core/errors.hpp"
#include "lacuna/core/random.hpp"
#include "lacuna/density/families.hpp"
#include "learning/counted_rows.hpp"
#include "learning/density_fitter.hpp"
#include "learning/evidence.hpp"
#include "learning/imputation.hpp"
#include "learning/learnable.hpp"
#include "learning/region.hpp"
#include "learning/shared_models.hpp"
#include "learning/stacked_fit.hpp"
#include "learning/stacked_model.hpp"

namespace lacuna {

namespace {

/// The fit of one method: Algorithm 1, or one of those it is compared with.
class MethodFit {
public:
  /// `prefix` stands before the stages of progress: whose they are, when several methods are fitted.
  MethodFit(Method method, const LearningOptions& options, SharedModels& shared, std::string prefix)
      : method_(method), prefix_(std::move(prefix)), options_(options), shared_(shared),
        fitter_(shared.fitter()), data_(fitter_.data()), observer_(fitter_.observer()),
        final_seed_(derive_seed(options.seed, RandomPurpose::final_model)) {}

  FitResult fit() {
    count_rows();
    observer_.progress(prefix_ + "initial models", 0, n_stages);
    const InitialModels& initial = shared_.initial();
    record_initial_models();
    // A stack has a region of its own.
    const bool has_stack = method_ == Method::mar && options_.conditional == ConditionalForm::stack;
    if (!has_stack) record_informative(count_informative(fitter_, initial));
    observer_.progress(prefix_ + "final models", 1, n_stages);

    GenerativeClassifier::Parts parts;
    parts.class_names = data_.class_names;
    parts.posterior = options_.posterior;
    parts.ignorant = options_.ignorant;
    parts.kappa = initial.kappa;
    parts.initial = initial.classes;
    parts.initial_unlabeled = initial.unlabeled;
    if (options_.background == BackgroundForm::cauchy) parts.background = fitter_.background();
    switch (method_) {
    case Method::supervised: parts.draws = {initial.classes}; break;
    case Method::mcar_sampling: parts.draws = fit_filled(unlabeled_rows()); break;
    case Method::mcar_em: parts.draws = {fit_em(unlabeled_rows())}; break;
    case Method::mar:
      if (has_stack) {
        fit_stacked(parts);
        break;
      }
      fit_both_parts(initial.informative, parts);
      break;
    }
    if (parts.stacked == nullptr) parts.shrinkage = shared_.shrinkage();
    if (parts.stacked == nullptr || !parts.stacked->ratio.is_by_classifier()) shared_.voice_concern();
    summary_.informative_weight = parts.informative_weight;
    summary_.shrinkage = parts.shrinkage.share;
    GenerativeClassifier classifier(std::move(parts));
    summary_.draw_spread = draw_spread(classifier);
    finish_summary();
    observer_.progress(prefix_ + "final models", n_stages, n_stages);
    FitResult result{std::move(classifier), std::move(summary_)};
    if (const std::string note = fitter_.shapes_note(); !note.empty()) result.notes.push_back(note);
    return result;
  }

private:
  static constexpr double n_stages = 2.0;
  /// More would hold too many lists of rows at once; memory_plan.cpp counts on them.
  static constexpr Index draws_side_by_side = 5;

  void count_rows() {
    summary_.class_counts.assign(data_.class_names.size(), 0);
    for (Index i = 0; i < data_.n_rows(); ++i) {
      if (fitter_.is_labeled(i)) {
        ++summary_.n_labeled;
        ++summary_.class_counts[at(data_.labels[at(i)])];
      } else if (fitter_.is_unlabeled(i)) {
        ++summary_.n_unlabeled;
      }
    }
    if (data_.whole != nullptr) {
      summary_.n_kept_unlabeled = summary_.n_unlabeled;
      summary_.n_unlabeled = data_.whole->n_unlabeled();
    }
    if (fitter_.class_order().size() == 1)
      observer_.warning(
          fmt::format("only class '{}' has labeled rows; outside its region every class is equally "
                      "likely",
                      data_.class_names[at(fitter_.class_order().front())]));
    for (Index y = 0; y < data_.n_classes(); ++y)
      if (summary_.class_counts[at(y)] == 0 && method_ != Method::mar && options_.ignorant == Ignorant::guess)
        observer_.warning(fmt::format("class '{}' has no labeled row; method {} never predicts it",
                                      data_.class_names[at(y)], to_string(method_)));
  }

  void record_initial_models() {
    const InitialModels& initial = shared_.initial();
    record_classes("initial class", initial.classes, fitter_.labeled_rows());
    if (initial.unlabeled != nullptr)
      summary_.densities.push_back(
          make_record("initial unlabeled", *initial.unlabeled, summary_.n_unlabeled));
    summary_.kappa = initial.kappa;
    summary_.kappa_asked = initial.kappa_asked;
  }

  void record_informative(Index n_informative) {
    summary_.n_informative = n_informative;
    if (summary_.n_unlabeled > 0)
      summary_.informative_share =
          static_cast<double>(summary_.n_informative) / static_cast<double>(summary_.n_unlabeled);
  }

  std::vector<DensityRecord> records_of(const std::string& name, const ClassModel& model,
                                        const std::vector<RowList>& rows) const {
    std::vector<DensityRecord> records;
    for (std::size_t y = 0; y < model.density.size(); ++y)
      if (model.density[y] != nullptr)
        records.push_back(make_record(fmt::format("{} {}", name, data_.class_names[y]), *model.density[y],
                                      static_cast<Index>(rows[y].rows.size())));
    return records;
  }

  void record_classes(const std::string& name, const ClassModel& model, const std::vector<RowList>& rows) {
    for (DensityRecord& record : records_of(name, model, rows))
      summary_.densities.push_back(std::move(record));
  }

  std::vector<char> unlabeled_rows() const {
    std::vector<char> all(at(data_.n_rows()));
    for (Index i = 0; i < data_.n_rows(); ++i) all[at(i)] = fitter_.is_unlabeled(i) ? 1 : 0;
    return all;
  }

  /// Class models after the marked rows got labels: one per imputation.
  std::vector<ClassModel> fit_filled(const std::vector<char>& fill) {
    if (std::holds_alternative<SoftLabels>(options_.draws)) {
      const std::vector<RowList> rows = fill_softly(fitter_, shared_.initial().classes, fill).rows;
      std::vector<ClassModel> models = {fitter_.fit_classes(rows, final_seed_)};
      record_classes("class", models.front(), rows);
      return models;
    }
    const Index n_draws = std::get<Index>(options_.draws);
    shared_.label_source(0); // so that all are there
    std::vector<ClassModel> models(at(n_draws));
    std::vector<std::vector<DensityRecord>> records(at(n_draws));
    std::atomic<Index> n_done{0};
    for (Index first = 0; first < n_draws; first += draws_side_by_side)
      parallel_for(std::min(draws_side_by_side, n_draws - first), fitter_.threads(), [&](Index i) {
        const Index draw = first + i;
        const std::uint64_t seed = shared_.draw_seed(draw);
        const std::vector<RowList> rows = fill_by_draw(fitter_, shared_.label_source(draw), fill, seed);
        models[at(draw)] = fitter_.fit_classes(rows, seed);
        records[at(draw)] = records_of(fmt::format("draw {} class", draw + 1), models[at(draw)], rows);
        report_final_models(static_cast<double>(++n_done) / static_cast<double>(n_draws));
      });
    for (const auto& of_draw : records)
      summary_.densities.insert(summary_.densities.end(), of_draw.begin(), of_draw.end());
    return models;
  }

  /// Only the thread that started the work may.
  void report_final_models(double share) {
    if (std::this_thread::get_id() == thread_)
      observer_.progress(prefix_ + "final models", 1.0 + share, n_stages);
  }

  /// Algorithm 1 on ratios, with a stack for p(y|x) and trust beyond the region.
  void fit_stacked(GenerativeClassifier::Parts& parts) {
    StackedFit fit(shared_, options_);
    parts.kappa = summary_.kappa = fit.kappa();
    if (fit.is_by_classifier()) summary_.kappa_asked = summary_.kappa;
    record_informative(fit.n_informative());
    parts.informative_weight = 1.0 - fit.outside_weight();
    parts.stacked = fit.finish();
    // A stack compares it with the mixture that tells the share of labels, which sees columns as they are.
    if (parts.background) parts.background = fitter_.plain_background();
    parts.draws = parts.stacked->class_models();
    if (parts.draws.empty()) parts.draws = {shared_.initial().classes};
    summary_.stack = fit.summary();
  }

  /// EM over the missing labels: soft labels from the current models, new models from the soft labels.
  ClassModel fit_em(const std::vector<char>& fill) {
    // Starts afresh, with room for what the unlabeled rows add.
    SoftFill filled = fill_softly(fitter_, shared_.initial().classes, fill);
    ClassModel model = fitter_.fit_classes(filled.rows, final_seed_);
    em_stop_reason_ = StopReason::max_iterations;
    for (Index iteration = 1; iteration <= options_.max_em_iterations; ++iteration) {
      stop_if_cancelled(observer_);
      summary_.n_em_iterations = iteration;
      const double before = filled.mean_log_likelihood;
      // As the steps below weigh rows, so that both climb the same bound.
      filled = fill_softly(fitter_, model, fill, Reading::expected_log);
      summary_.em_history.push_back(filled.mean_log_likelihood - divergence(model) / filled.total_weight);
      if (iteration > 1 && std::abs(filled.mean_log_likelihood - before) < options_.em_tolerance) {
        em_stop_reason_ = StopReason::converged;
        break;
      }
      // EM climbs as well by better models as by the best ones, at a fraction of the cost.
      constexpr bool single_step = true;
      model = fitter_.fit_classes(filled.rows, final_seed_, &model, single_step);
      observer_.progress(prefix_ + "EM", static_cast<double>(iteration), 0.0); // it ends when it converges
    }
    model = fitter_.fit_classes(filled.rows, final_seed_, &model);
    record_classes("class", model, filled.rows);
    return model;
  }

  /// What the classes' objectives pay for what was learned.
  static double divergence(const ClassModel& model) {
    double sum = 0.0;
    for (const auto& density : model.density)
      if (density != nullptr) sum += density->divergence();
    return sum;
  }

  /// The classes' densities inside the region, and the class-independent part outside with its weight 1 - w.
  void fit_both_parts(const std::vector<char>& informative, GenerativeClassifier::Parts& parts) {
    RowList outside;
    double inside = 0.0;
    for (Index i = 0; i < data_.n_rows(); ++i) {
      if (fitter_.is_unlabeled(i) && informative[at(i)] == 0)
        outside.add(i, fitter_.weight_behind(i));
      else
        inside += fitter_.weight_behind(i);
    }
    parallel_for(2, fitter_.threads(), [&](Index part) {
      if (part == 0)
        parts.draws = fit_filled(informative);
      else if (!outside.empty())
        parts.uninformative =
            fitter_.fit(outside, derive_seed(final_seed_, RandomPurpose::unlabeled_model), fitter_.threads());
    });
    if (outside.empty()) return;
    parts.informative_weight = inside / (inside + outside.total_weight());
    summary_.densities.push_back(
        make_record("uninformative", *parts.uninformative, static_cast<Index>(outside.rows.size())));
  }

  /// Mean over rows of the standard deviation of q_e between the imputations; on at most a few thousand rows.
  double draw_spread(const GenerativeClassifier& classifier) const {
    const std::size_t n_draws = classifier.parts().draws.size();
    if (n_draws < 2) return 0.0;
    constexpr Index most_rows = 4096;
    const Index n_rows = data_.whole == nullptr ? data_.n_rows() : data_.whole->n_rows();
    GatherPass gathered((n_rows + most_rows - 1) / most_rows);
    show_all(data_, gathered, fitter_.threads(), observer_);
    const Matrix rows = gathered.take();
    const Index n = rows.n_rows();
    std::vector<double> sum(at(n));
    std::vector<double> sum_of_squares(at(n));
    for (const ClassModel& draw : classifier.parts().draws) {
      GenerativeClassifier::Parts single = classifier.parts();
      single.draws = {draw};
      single.ignorant = Ignorant::guess; // a lot would add its own spread
      const Scores scores = GenerativeClassifier(std::move(single)).score(rows.view(), fitter_.threads());
      for (std::size_t i = 0; i < sum.size(); ++i) {
        sum[i] += scores.error_probability[i];
        sum_of_squares[i] += scores.error_probability[i] * scores.error_probability[i];
      }
    }
    const auto m = static_cast<double>(n_draws);
    double total = 0.0;
    for (std::size_t i = 0; i < sum.size(); ++i)
      total += std::sqrt(std::max(0.0, (sum_of_squares[i] - sum[i] * sum[i] / m) / (m - 1.0)));
    return total / static_cast<double>(n);
  }

  void finish_summary() {
    summary_.stop_reason = em_stop_reason_;
    Index n_unfinished = 0;
    for (const DensityRecord& record : summary_.densities)
      if (record.stop_reason == StopReason::max_iterations) ++n_unfinished;
    if (n_unfinished > 0) {
      summary_.stop_reason = StopReason::max_iterations;
      observer_.warning(
          fmt::format("{} of {} densities stopped at {} before they converged; the model is usable, a "
                      "larger number may improve it",
                      n_unfinished, summary_.densities.size(), mention("max_iterations")));
    } else if (em_stop_reason_ == StopReason::max_iterations) {
      observer_.warning("EM stopped at " + mention("max_em_iterations") + " before it converged");
    }
  }

  Method method_;
  std::string prefix_;
  const LearningOptions& options_;
  SharedModels& shared_;
  const DensityFitter& fitter_;
  const DatasetView& data_;
  Observer& observer_;
  std::thread::id thread_ = std::this_thread::get_id();
  std::uint64_t final_seed_;
  FitSummary summary_;
  StopReason em_stop_reason_ = StopReason::converged;
};

} // namespace

std::vector<FitResult> fit_classifiers(const DatasetView& data, const LearningOptions& options,
                                       std::span<const Method> methods, const DensityFamily& family,
                                       Observer& observer) {
  check_options(options);
  check_dataset(data);
  require_learnable(data, family);
  if (has_uncounted_rows(data)) {
    const Dataset counted = counted_rows(data);
    return fit_classifiers(DatasetView(counted), options, methods, family, observer);
  }
  const PassesAt passes_at(place_on(options.device, data.features.n_rows, observer), observer);
  SharedModels shared(data, options, family, observer);
  std::vector<FitResult> results;
  for (const Method method : methods) {
    const std::string prefix = methods.size() > 1 ? to_string(method) + ": " : "";
    results.push_back(MethodFit(method, options, shared, prefix).fit());
  }
  return results;
}

std::vector<FitResult> fit_classifiers(const DatasetView& data, const LearningOptions& options,
                                       std::span<const Method> methods, Observer& observer) {
  check_options(options);
  return fit_classifiers(data, options, methods, *make_density_family(options.density), observer);
}

FitResult fit_classifier(const DatasetView& data, const LearningOptions& options, const DensityFamily& family,
                         Observer& observer) {
  return std::move(fit_classifiers(data, options, {&options.method, 1}, family, observer).front());
}

FitResult fit_classifier(const DatasetView& data, const LearningOptions& options, Observer& observer) {
  return std::move(fit_classifiers(data, options, {&options.method, 1}, observer).front());
}

} // namespace lacuna
