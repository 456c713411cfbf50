#include "lacuna/learning/learner.hpp"

#include <algorithm>
#include <cmath>
#include <memory>

#include <fmt/format.h>

#include "lacuna/core/errors.hpp"
#include "lacuna/core/random.hpp"
#include "lacuna/density/vb_mixture.hpp"
#include "learning/class_fits.hpp"
#include "learning/evidence.hpp"
#include "learning/imputation.hpp"
#include "learning/region.hpp"

namespace lacuna {

namespace {

std::size_t at(Index i) {
  return static_cast<std::size_t>(i);
}

/// One run of fit_classifier: Algorithm 1 and the methods it is compared with.
class Run {
public:
  Run(const Dataset& data, const LearningOptions& options, const DensityFamily& family, Observer& observer)
      : data_(data), options_(options), shop_(data, family, options.threads, observer), observer_(observer),
        final_seed_(derive_seed(options.seed, RandomPurpose::final_model)) {}

  FitResult fit() {
    count_rows();
    observer_.progress("initial models", 0, n_stages);
    initial_ = fit_initial_models(shop_, options_.kappa, options_.n_folds, options_.seed);
    record_initial_models();
    observer_.progress("final models", 1, n_stages);

    GenerativeClassifier::Parts parts;
    parts.class_names = data_.class_names;
    parts.posterior = options_.posterior;
    parts.kappa = initial_.kappa;
    parts.initial = initial_.classes;
    parts.initial_unlabeled = initial_.unlabeled;
    switch (options_.method) {
    case Method::supervised: parts.draws = {initial_.classes}; break;
    case Method::mcar_sampling: parts.draws = fit_filled(unlabeled_rows()); break;
    case Method::mcar_em: parts.draws = {fit_em(unlabeled_rows())}; break;
    case Method::mar:
      parts.draws = fit_filled(initial_.informative);
      fit_uninformative(parts);
      break;
    }
    summary_.informative_weight = parts.informative_weight;
    GenerativeClassifier classifier(std::move(parts));
    summary_.draw_spread = draw_spread(classifier);
    finish_summary();
    observer_.progress("final models", n_stages, n_stages);
    return {std::move(classifier), std::move(summary_)};
  }

private:
  static constexpr double n_stages = 2.0;

  void count_rows() {
    summary_.class_counts.assign(data_.class_names.size(), 0);
    for (Index i = 0; i < data_.n_rows(); ++i) {
      if (shop_.is_labeled(i)) {
        ++summary_.n_labeled;
        ++summary_.class_counts[at(data_.labels[at(i)])];
      } else if (shop_.is_unlabeled(i)) {
        ++summary_.n_unlabeled;
      }
    }
    if (summary_.n_labeled == 0)
      throw Error(ErrorKind::data,
                  "no row has a label; label some rows of at least two classes, or check which "
                  "column holds the labels and how missing ones are written");
    if (data_.n_classes() < 2)
      throw Error(
          ErrorKind::data,
          fmt::format("all {} labeled rows are of class '{}'; there is nothing to tell apart. Label rows of "
                      "another class, or name the classes that exist beside it with --classes",
                      summary_.n_labeled, data_.class_names.front()));
    if (shop_.class_order().size() == 1)
      observer_.warning(
          fmt::format("only class '{}' has labeled rows; outside its region every class is equally "
                      "likely",
                      data_.class_names[at(shop_.class_order().front())]));
    for (Index y = 0; y < data_.n_classes(); ++y)
      if (summary_.class_counts[at(y)] == 0 && options_.method != Method::mar)
        observer_.warning(fmt::format("class '{}' has no labeled row; method {} never predicts it",
                                      data_.class_names[at(y)], to_string(options_.method)));
  }

  void record_initial_models() {
    record_classes("initial class", initial_.classes, shop_.labeled_rows());
    if (initial_.unlabeled != nullptr)
      summary_.densities.push_back(
          make_record("initial unlabeled", *initial_.unlabeled, summary_.n_unlabeled));
    summary_.kappa = initial_.kappa;
    summary_.n_informative = std::count(initial_.informative.begin(), initial_.informative.end(), 1);
    if (summary_.n_unlabeled > 0)
      summary_.informative_share =
          static_cast<double>(summary_.n_informative) / static_cast<double>(summary_.n_unlabeled);
  }

  void record_classes(const std::string& name, const ClassModel& model, const std::vector<RowList>& rows) {
    for (std::size_t y = 0; y < model.density.size(); ++y)
      if (model.density[y] != nullptr)
        summary_.densities.push_back(make_record(fmt::format("{} {}", name, data_.class_names[y]),
                                                 *model.density[y], static_cast<Index>(rows[y].rows.size())));
  }

  std::vector<char> unlabeled_rows() const {
    std::vector<char> all(at(data_.n_rows()));
    for (Index i = 0; i < data_.n_rows(); ++i) all[at(i)] = shop_.is_unlabeled(i) ? 1 : 0;
    return all;
  }

  /// Class models after the marked rows got labels: one per imputation.
  std::vector<ClassModel> fit_filled(const std::vector<char>& fill) {
    if (options_.draws.is_soft) {
      const std::vector<RowList> rows = fill_softly(shop_, initial_.classes, fill);
      std::vector<ClassModel> models = {shop_.fit_classes(rows, final_seed_)};
      record_classes("class", models.front(), rows);
      return models;
    }
    std::vector<ClassModel> models;
    for (Index draw = 0; draw < options_.draws.n_draws; ++draw) {
      const std::uint64_t seed =
          derive_seed(final_seed_, RandomPurpose::draw, static_cast<std::uint64_t>(draw));
      // Proper multiple imputation: several draws must differ by what the labeled rows leave open about the
      // models, not only by the labels' own chance, or their average is too sure.
      const bool is_single = options_.draws.n_draws == 1;
      const ClassModel source = is_single ? initial_.classes : fit_resampled(seed);
      const std::vector<RowList> rows = fill_by_draw(shop_, source, fill, seed);
      models.push_back(shop_.fit_classes(rows, seed));
      record_classes(fmt::format("draw {} class", draw + 1), models.back(), rows);
      observer_.progress("final models",
                         1.0 + static_cast<double>(draw + 1) / static_cast<double>(options_.draws.n_draws),
                         n_stages);
    }
    return models;
  }

  /// Initial class models of a Bayesian bootstrap: every labeled row gets a random weight with mean one,
  /// which stands for a draw from the posterior of the models given the labeled rows.
  ClassModel fit_resampled(std::uint64_t seed) const {
    std::vector<RowList> rows = shop_.labeled_rows();
    for (RowList& list : rows) {
      const double before = list.total_weight();
      for (std::size_t i = 0; i < list.rows.size(); ++i) {
        RandomStream random(seed, RandomPurpose::resampling, static_cast<std::uint64_t>(list.rows[i]));
        list.weights[i] *= -std::log(random.uniform());
      }
      const double scale = list.empty() ? 1.0 : before / list.total_weight();
      for (double& weight : list.weights) weight *= scale;
    }
    return shop_.fit_classes(rows, seed);
  }

  /// EM over the missing labels: soft labels from the current models, new models from the soft labels.
  ClassModel fit_em(const std::vector<char>& fill) {
    ClassModel model = initial_.classes;
    std::vector<RowList> rows;
    double before = 0.0;
    em_stop_reason_ = "max_iterations";
    for (Index iteration = 0; iteration < options_.max_em_iterations; ++iteration) {
      stop_if_cancelled(observer_);
      rows = fill_softly(shop_, model, fill);
      // The first round starts afresh, with room for what the unlabeled rows add; later rounds continue it.
      model = shop_.fit_classes(rows, final_seed_, iteration == 0 ? nullptr : &model);
      ++summary_.n_em_iterations;
      const double likelihood = mean_log_likelihood(model, fill);
      if (iteration > 0 && std::abs(likelihood - before) < options_.em_tolerance) {
        em_stop_reason_ = "converged";
        break;
      }
      before = likelihood;
      observer_.progress("EM", static_cast<double>(iteration + 1),
                         static_cast<double>(options_.max_em_iterations));
    }
    record_classes("class", model, rows);
    return model;
  }

  /// Per row: log q(x, y) of labeled rows and log q(x) of the marked ones.
  double mean_log_likelihood(const ClassModel& model, const std::vector<char>& fill) const {
    std::vector<double> terms(at(data_.n_rows()));
    for_each_block(model, data_.features.view(), shop_.threads(),
                   [&](Index first, const ClassEvidence& evidence, Index n) {
                     for (Index b = 0; b < n; ++b) {
                       const Index i = first + b;
                       if (shop_.is_labeled(i))
                         terms[at(i)] = evidence.log_joint(data_.labels[at(i)], b);
                       else if (fill[at(i)] != 0)
                         terms[at(i)] = evidence.log_total(b);
                     }
                   });
    double sum = 0.0;
    double weight = 0.0;
    for (Index i = 0; i < data_.n_rows(); ++i) {
      sum += data_.weight(i) * terms[at(i)];
      weight += data_.weight(i);
    }
    return sum / weight;
  }

  /// The class-independent part of the final model and its weight 1 - w.
  void fit_uninformative(GenerativeClassifier::Parts& parts) {
    RowList outside;
    double inside = 0.0;
    for (Index i = 0; i < data_.n_rows(); ++i) {
      if (shop_.is_unlabeled(i) && initial_.informative[at(i)] == 0)
        outside.add(i, data_.weight(i));
      else
        inside += data_.weight(i);
    }
    if (outside.empty()) return;
    parts.uninformative =
        shop_.fit(outside, derive_seed(final_seed_, RandomPurpose::unlabeled_model), shop_.threads());
    parts.informative_weight = inside / (inside + outside.total_weight());
    summary_.densities.push_back(
        make_record("uninformative", *parts.uninformative, static_cast<Index>(outside.rows.size())));
  }

  /// Mean over rows of the standard deviation of q_e between the imputations; on at most a few thousand rows.
  double draw_spread(const GenerativeClassifier& classifier) const {
    const std::size_t n_draws = classifier.parts().draws.size();
    if (n_draws < 2) return 0.0;
    constexpr Index most_rows = 4096;
    const Index step = (data_.n_rows() + most_rows - 1) / most_rows;
    const Index n = (data_.n_rows() + step - 1) / step;
    Matrix rows(n, data_.n_features());
    for (Index i = 0; i < n; ++i) std::copy_n(data_.features.row(i * step), data_.n_features(), rows.row(i));
    std::vector<double> sum(at(n));
    std::vector<double> sum_of_squares(at(n));
    for (const ClassModel& draw : classifier.parts().draws) {
      GenerativeClassifier::Parts single = classifier.parts();
      single.draws = {draw};
      const Scores scores = GenerativeClassifier(std::move(single)).score(rows.view(), shop_.threads());
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
      if (record.stop_reason == "max_iterations") ++n_unfinished;
    if (n_unfinished > 0) {
      summary_.stop_reason = "max_iterations";
      observer_.warning(
          fmt::format("{} of {} densities stopped at max-iterations before they converged; the model "
                      "is usable, a larger --max-iterations may improve it",
                      n_unfinished, summary_.densities.size()));
    } else if (em_stop_reason_ == "max_iterations") {
      observer_.warning("EM stopped at max-em-iterations before it converged");
    }
  }

  const Dataset& data_;
  const LearningOptions& options_;
  FitShop shop_;
  Observer& observer_;
  std::uint64_t final_seed_;
  InitialModels initial_;
  FitSummary summary_;
  std::string em_stop_reason_ = "converged";
};

} // namespace

FitResult fit_classifier(const Dataset& data, const LearningOptions& options, const DensityFamily& family,
                         Observer& observer) {
  check_options(options);
  check_dataset(data);
  return Run(data, options, family, observer).fit();
}

FitResult fit_classifier(const Dataset& data, const LearningOptions& options, Observer& observer) {
  check_options(options);
  return fit_classifier(data, options, VbMixtureFamily(options.vb_mixture), observer);
}

} // namespace lacuna
