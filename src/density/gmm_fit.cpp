#include <cmath>
#include <optional>

#include <fmt/format.h>

#include "density/gmm.hpp"
#include "density/kmeans_start.hpp"
#include "lacuna/core/errors.hpp"
#include "lacuna/density/gmm.hpp"

// Equation numbers refer to docs/math/gmm.md.

namespace lacuna {

namespace {

/// Expectation maximisation from one start.
class GmmAscent {
public:
  GmmAscent(const WeightedRows& rows, const Frame& frame, const GmmOptions& options, double total_weight,
            int threads, const Observer& observer)
      : rows_(rows), frame_(frame), options_(options), total_weight_(total_weight), threads_(threads),
        observer_(observer) {}

  struct Result {
    GmmParameters parameters;
    DensityFitSummary summary;
  };

  Result run(GmmParameters parameters) const {
    DensityFitSummary summary;
    summary.stop_reason = "max_iterations";
    MixtureMoments moments = expect(parameters);
    for (Index iteration = 0; iteration < options_.max_iterations; ++iteration) {
      const double before = moments.log_likelihood;
      parameters = maximise(moments, options_.covariance, options_.covariance_floor);
      moments = expect(parameters);
      summary.history.push_back(moments.log_likelihood);
      if (moments.log_likelihood - before > negligible(moments.log_likelihood)) continue;
      summary.stop_reason = "converged";
      break;
    }
    return finish(std::move(parameters), std::move(summary), moments.log_likelihood);
  }

  /// One iteration. Its objective is the likelihood that the step started from: to know the new one costs as
  /// much as another step.
  Result step(const GmmParameters& parameters) const {
    const MixtureMoments moments = expect(parameters);
    DensityFitSummary summary;
    summary.stop_reason = "max_iterations";
    summary.history.push_back(moments.log_likelihood);
    return finish(maximise(moments, options_.covariance, options_.covariance_floor), std::move(summary),
                  moments.log_likelihood);
  }

private:
  /// The E-step, and the statistics that the M-step needs (eq. 2).
  MixtureMoments expect(const GmmParameters& parameters) const {
    MixtureMoments moments = collect_moments(rows_, frame_, make_terms(parameters), threads_, observer_);
    if (!std::isfinite(moments.log_likelihood))
      throw Error(ErrorKind::internal, "the log likelihood of a mixture is not finite");
    return moments;
  }

  double negligible(double log_likelihood) const {
    return options_.tolerance * std::max(std::abs(log_likelihood), total_weight_);
  }

  Result finish(GmmParameters parameters, DensityFitSummary summary, double log_likelihood) const {
    summary.n_iterations = static_cast<Index>(summary.history.size());
    summary.n_components = parameters.n_components();
    // The ascent runs in the frame's units; users see the likelihood in theirs.
    const double shift = total_weight_ * frame_.log_jacobian();
    for (double& past : summary.history) past += shift;
    summary.objective = log_likelihood + shift;
    const double n_free = n_free_parameters(parameters);
    summary.measures["bic"] = n_free * std::log(total_weight_) - 2.0 * summary.objective;
    summary.measures["aic"] = 2.0 * n_free - 2.0 * summary.objective;
    return {std::move(parameters), std::move(summary)};
  }

  const WeightedRows& rows_;
  const Frame& frame_;
  const GmmOptions& options_;
  double total_weight_;
  int threads_;
  const Observer& observer_;
};

/// No more components than the rows could tell apart.
Index component_limit(Index wanted, double total_weight, Index n_features) {
  const double supported = total_weight / (static_cast<double>(n_features) + 1.0);
  return std::max<Index>(1, supported < static_cast<double>(wanted) ? static_cast<Index>(supported) : wanted);
}

} // namespace

void check_options(const GmmOptions& options, OptionChecks& checks) {
  checks.require(options.n_components >= 1 && options.n_components <= 10000, "components",
                 fmt::format("{}", options.n_components), "1 to 10000");
  checks.require(options.covariance_floor >= 1e-12 && options.covariance_floor <= 1.0, "covariance-floor",
                 fmt::format("{}", options.covariance_floor), "1e-12 to 1");
  checks.require(options.n_restarts >= 1, "restarts", fmt::format("{}", options.n_restarts), "at least 1");
  checks.require(options.max_iterations >= 1, "max-iterations", fmt::format("{}", options.max_iterations),
                 "at least 1");
  checks.require(std::isfinite(options.tolerance) && options.tolerance >= 0.0, "tolerance",
                 fmt::format("{}", options.tolerance), "a number of at least 0");
}

GmmFamily::GmmFamily(const GmmOptions& options) : options_(options) {
  OptionChecks checks;
  check_options(options, checks);
  checks.throw_if_any();
}

std::shared_ptr<const Density> GmmFamily::fit(const WeightedRows& rows,
                                              const DensityFitContext& context) const {
  double total_weight = 0.0;
  for (Index i = 0; i < rows.size(); ++i) total_weight += rows.weight(i);
  if (!(total_weight > 0.0))
    throw Error(ErrorKind::data, "a density needs at least one row of positive weight");
  const Index d = rows.n_features();
  const Observer& observer = context.observer != nullptr ? *context.observer : silent_observer();

  // A warm start keeps the frame, so that repeated fits climb one and the same objective.
  const auto* const previous = dynamic_cast<const Gmm*>(context.warm_start);
  // As many reference rows as would determine a covariance matrix.
  const Frame frame = previous != nullptr ? previous->frame()
                                          : make_frame(rows, {}, {}, context.reference_variance,
                                                       static_cast<double>(d) + 1.0);
  const GmmAscent ascent(rows, frame, options_, total_weight, context.threads, observer);

  std::optional<GmmAscent::Result> best;
  if (previous != nullptr)
    best = context.single_step ? ascent.step(previous->parameters()) : ascent.run(previous->parameters());
  const bool diagonal =
      options_.covariance == CovarianceType::diagonal || options_.covariance == CovarianceType::spherical;
  const Index n_components = component_limit(options_.n_components, total_weight, d);
  const Index n_starts = previous != nullptr ? 0 : options_.n_restarts;
  for (Index restart = 0; restart < n_starts; ++restart) {
    const std::uint64_t seed =
        derive_seed(context.seed, RandomPurpose::restart, static_cast<std::uint64_t>(restart));
    const KmeansStart start = kmeans_start(rows, frame, n_components, seed, context.threads, observer);
    GmmAscent::Result result =
        ascent.run(maximise(collect_assigned_moments(rows, frame, start.centers, start.assignment, diagonal),
                            options_.covariance, options_.covariance_floor));
    if (!best || result.summary.objective > best->summary.objective) best = std::move(result);
  }
  return std::make_shared<Gmm>(frame, std::move(best->parameters), std::move(best->summary));
}

} // namespace lacuna
