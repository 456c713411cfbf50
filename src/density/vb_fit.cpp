#include <algorithm>
#include <cmath>
#include <optional>

#include <fmt/format.h>

#include "density/kmeans_start.hpp"
#include "density/moments.hpp"
#include "density/vb_mixture.hpp"
#include "lacuna/core/errors.hpp"
#include "lacuna/density/vb_mixture.hpp"

namespace lacuna {

namespace {

/// One restart: coordinate ascent on the bound, and components that do not pay are switched off.
class VbAscent {
public:
  VbAscent(const RowGroups& rows, const Frame& frame, const VbPrior& prior, const VbMixtureOptions& options,
           int threads, const Observer& observer)
      : rows_(rows), frame_(frame), prior_(prior), options_(options), threads_(threads), observer_(observer) {
  }

  struct Result {
    VbPosterior posterior;
    DensityFitSummary summary;
  };

  Result run(VbPosterior posterior) const {
    DensityFitSummary summary;
    summary.stop_reason = "max_iterations";
    Pass pass = evaluate(posterior);
    for (Index iteration = 0; iteration < options_.max_iterations; ++iteration) {
      const double before = pass.bound;
      posterior = update_posterior(prior_, pass.moments);
      pass = evaluate(posterior);
      summary.history.push_back(pass.bound);
      if (pass.bound - before > negligible(pass.bound)) continue;
      if (switch_off_one(posterior, pass, 0.0)) continue;
      // A component that the evidence favours by less than this many nats (odds of 1.1) is not needed.
      constexpr double no_evidence = 0.1;
      while (switch_off_one(posterior, pass, no_evidence)) {
      }
      summary.stop_reason = "converged";
      break;
    }
    return finish(std::move(posterior), std::move(summary), pass.bound);
  }

  /// One iteration. Its objective is the bound that the step started from: to know the new one costs as much
  /// as another step.
  Result step(const VbPosterior& posterior) const {
    const Pass pass = evaluate(posterior);
    DensityFitSummary summary;
    summary.stop_reason = "max_iterations";
    summary.history.push_back(pass.bound);
    return finish(update_posterior(prior_, pass.moments), std::move(summary), pass.bound);
  }

private:
  Result finish(VbPosterior posterior, DensityFitSummary summary, double bound) const {
    summary.n_iterations = static_cast<Index>(summary.history.size());
    summary.n_components = posterior.n_active();
    // The ascent runs in the frame's units; users see the bound in theirs.
    const double shift = rows_.total_weight() * frame_.log_jacobian() + rows_.missing_log_scale(frame_);
    for (double& past : summary.history) past += shift;
    summary.objective = bound + shift;
    return {std::move(posterior), std::move(summary)};
  }

  struct Pass {
    MixtureMoments moments;
    double bound;
  };

  Pass evaluate(const VbPosterior& posterior) const {
    MixtureMoments moments = collect_moments(
        rows_, frame_, make_terms(prior_, posterior, DensityForm::expected_log), threads_, observer_);
    const double bound = moments.log_likelihood - posterior_divergence(prior_, posterior);
    if (!std::isfinite(bound))
      throw Error(ErrorKind::internal, "the evidence bound of a mixture is not finite");
    return {std::move(moments), bound};
  }

  double negligible(double bound) const {
    return options_.tolerance * std::max(std::abs(bound), rows_.total_weight());
  }

  /// Tries to switch off one of the smallest components: its rows go to the component that likes them best, a
  /// few steps follow, and if the bound is then higher than with the component, less `slack`, it stays off.
  bool switch_off_one(VbPosterior& posterior, Pass& pass, double slack) const {
    constexpr Index n_tries = 3;
    constexpr Index n_steps = 5;
    const double target = pass.bound - slack;
    const Index n_active = posterior.n_active();
    for (Index k = n_active - 1; k >= std::max<Index>(1, n_active - n_tries); --k) { // sorted by size
      MixtureMoments merged = merge_components(pass.moments, k, closest_component(posterior, k));
      VbPosterior candidate = update_posterior(prior_, merged);
      Pass candidate_pass = evaluate(candidate);
      for (Index step = 0; step < n_steps && candidate_pass.bound <= target; ++step) {
        candidate = update_posterior(prior_, candidate_pass.moments);
        candidate_pass = evaluate(candidate);
      }
      if (candidate_pass.bound <= target) continue;
      posterior = std::move(candidate);
      pass = std::move(candidate_pass);
      return true;
    }
    return false;
  }

  /// The other component with the highest density at the centre of component k.
  Index closest_component(const VbPosterior& posterior, Index k) const {
    const MixtureTerms terms = make_terms(prior_, posterior, DensityForm::expected_log);
    const Frame identity = identity_frame(terms.n_features());
    RowBlock block(identity, terms.n_components(), 1);
    block.load(WeightedRows({posterior.mean.row(k), 1, terms.n_features()}), 0, 1);
    evaluate_terms(terms, block);
    const Matrix levels = mean_levels(prior_, posterior);
    const auto logit = [&](Index j) {
      double sum = block.logits()[j * block.stride()];
      for (Index l = 0; l < levels.n_cols(); ++l) sum += levels(k, l) * terms.log_level(j, l);
      return sum;
    };
    Index best = k == 0 ? 1 : 0;
    for (Index j = 0; j < terms.n_components(); ++j)
      if (j != k && logit(j) > logit(best)) best = j;
    return best;
  }

  static Frame identity_frame(Index n_features) {
    Frame frame;
    frame.center.assign(static_cast<std::size_t>(n_features), 0.0);
    frame.scale.assign(static_cast<std::size_t>(n_features), 1.0);
    for (Index j = 0; j < n_features; ++j) frame.columns.push_back(j);
    return frame;
  }

  const RowGroups& rows_;
  const Frame& frame_;
  const VbPrior& prior_;
  const VbMixtureOptions& options_;
  int threads_;
  const Observer& observer_;
};

/// No more components than the rows could tell apart.
Index component_limit(Index wanted, double total_weight, Index n_features) {
  const double supported = total_weight / (static_cast<double>(n_features) + 1.0);
  return std::max<Index>(1, supported < static_cast<double>(wanted) ? static_cast<Index>(supported) : wanted);
}

double weight_sum(const WeightedRows& rows) {
  double sum = 0.0;
  for (Index i = 0; i < rows.size(); ++i) sum += rows.weight(i);
  return sum;
}

Frame fit_frame(const WeightedRows& rows, const DensityFitContext& context, bool own_variance) {
  // As many reference rows as would determine a covariance matrix.
  double reference_rows = static_cast<double>(rows.n_features()) + 1.0;
  for (const Index n : context.levels)
    if (n > 0) reference_rows -= 1.0;
  return make_frame(rows, context.levels, context.reference_mean, context.reference_variance,
                    own_variance ? 0.0 : reference_rows);
}

std::vector<Index> level_counts(const Frame& frame) {
  std::vector<Index> counts;
  for (const CategoryColumn& category : frame.categories) counts.push_back(category.n_levels);
  return counts;
}

/// What is known when no row has a value: the prior.
VbAscent::Result prior_alone(const VbPrior& prior, const Frame& frame) {
  constexpr double hardly_a_row = 1e-6;
  MixtureMoments nothing(Matrix(1, frame.n_features()), is_diagonal(prior.covariance), frame.n_levels());
  nothing.zeroth[0] = hardly_a_row;
  DensityFitSummary summary;
  summary.n_components = 1;
  summary.stop_reason = "converged";
  return {update_posterior(prior, nothing), std::move(summary)};
}

} // namespace

void check_options(const VbMixtureOptions& options, OptionChecks& checks) {
  const auto positive = [&](const char* name, double value, bool or_zero) {
    checks.require(std::isfinite(value) && (value > 0.0 || (or_zero && value == 0.0)), name,
                   fmt::format("{}", value),
                   or_zero ? "a positive number, or 0 for the default" : "a positive number");
  };
  checks.require(options.n_components >= 1 && options.n_components <= 10000, "components",
                 fmt::format("{}", options.n_components), "1 to 10000");
  checks.require(options.n_restarts >= 1, "restarts", fmt::format("{}", options.n_restarts), "at least 1");
  checks.require(options.max_iterations >= 1, "max-iterations", fmt::format("{}", options.max_iterations),
                 "at least 1");
  positive("weight-concentration", options.weight_concentration, true);
  positive("mean-precision", options.mean_precision, false);
  positive("degrees-of-freedom", options.degrees_of_freedom, true);
  positive("covariance-scale", options.covariance_scale, false);
  positive("category-concentration", options.category_concentration, false);
  positive("tolerance", options.tolerance, true);
}

VbMixtureFamily::VbMixtureFamily(const VbMixtureOptions& options) : options_(options) {
  OptionChecks checks;
  check_options(options, checks);
  checks.throw_if_any();
}

std::shared_ptr<const Density> VbMixtureFamily::fit(const WeightedRows& rows,
                                                    const DensityFitContext& context) const {
  if (!(weight_sum(rows) > 0.0))
    throw Error(ErrorKind::data, "a density needs at least one row of positive weight");
  const Observer& observer = context.observer != nullptr ? *context.observer : silent_observer();

  // A warm start keeps the frame and the prior, so that repeated fits climb one and the same objective.
  const auto* const previous = dynamic_cast<const VbMixture*>(context.warm_start);
  const Frame frame =
      previous != nullptr ? previous->frame() : fit_frame(rows, context, options_.own_variance);
  const Index d = frame.n_features();
  const bool is_full =
      options_.covariance == CovarianceType::full || options_.covariance == CovarianceType::tied;
  if (is_full && options_.degrees_of_freedom > 0.0 &&
      options_.degrees_of_freedom <= static_cast<double>(d) - 1.0)
    throw Error(ErrorKind::usage,
                fmt::format("degrees-of-freedom: got {}, expected more than {} (features - 1)",
                            options_.degrees_of_freedom, d - 1));
  const RowGroups groups(rows, frame);
  const VbPrior prior =
      previous != nullptr
          ? previous->prior()
          : VbPrior::from_options(
                options_, component_limit(options_.n_components, groups.total_weight(), frame.n_columns()), d,
                level_counts(frame));
  const VbAscent ascent(groups, frame, prior, options_, context.threads, observer);

  std::optional<VbAscent::Result> best;
  if (!(groups.total_weight() > 0.0))
    best = prior_alone(prior, frame);
  else if (previous != nullptr)
    best = context.single_step ? ascent.step(previous->posterior()) : ascent.run(previous->posterior());
  const Index n_starts = best ? 0 : options_.n_restarts;
  for (Index restart = 0; restart < n_starts; ++restart) {
    const std::uint64_t seed =
        derive_seed(context.seed, RandomPurpose::restart, static_cast<std::uint64_t>(restart));
    const KmeansStart start =
        kmeans_start(groups.with_values(), frame, prior.n_components, seed, context.threads, observer);
    VbAscent::Result result = ascent.run(
        update_posterior(prior, collect_assigned_moments(groups.with_values(), frame, start.centers,
                                                         start.assignment, is_diagonal(prior.covariance))));
    if (!best || result.summary.objective > best->summary.objective) best = std::move(result);
  }
  return std::make_shared<VbMixture>(frame, prior, std::move(best->posterior), options_.density_form,
                                     std::move(best->summary));
}

} // namespace lacuna
