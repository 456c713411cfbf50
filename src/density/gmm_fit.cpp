#include <cmath>

#include <fmt/format.h>

#include "density/ascent.hpp"
#include "density/gmm.hpp"
#include "density/mixture_fit.hpp"
#include "density/own_families.hpp"
#include "lacuna/core/errors.hpp"
#include "lacuna/density/options.hpp"

// Equation numbers refer to docs/math/gmm.md.

namespace lacuna {

namespace {

/// Expectation maximisation as the ascent sees it.
class GmmProblem {
public:
  using Parameters = GmmParameters;
  struct State {
    GmmParameters parameters;
    MixtureMoments moments;
    double objective; ///< the log likelihood, in the frame's units
  };

  GmmProblem(const FitRows& rows, const GmmOptions& options, int threads, const Observer& observer)
      : rows_(rows), options_(options), threads_(threads), observer_(observer) {}

  /// The E-step, and the statistics that the M-step needs (eq. 2).
  State evaluate(GmmParameters parameters) const {
    MixtureMoments moments = rows_.collect(make_terms(parameters), threads_, observer_);
    const double log_likelihood = moments.log_likelihood;
    if (!std::isfinite(log_likelihood))
      throw Error(ErrorKind::internal, "the log likelihood of a mixture is not finite");
    return {std::move(parameters), std::move(moments), log_likelihood};
  }
  GmmParameters update(const State& state) const { return start_from(state.moments); }
  GmmParameters start_from(const MixtureMoments& moments) const {
    return maximise(moments, options_.covariance, options_.covariance_floor);
  }
  static bool improve(State& /*state*/) { return false; }
  void describe(const GmmParameters& parameters, DensityFitSummary& summary) const {
    lacuna::describe(parameters, rows_.total_weight(), summary);
  }

private:
  const FitRows& rows_;
  const GmmOptions& options_;
  int threads_;
  const Observer& observer_;
};

std::shared_ptr<const Density> fit_to(const FitRows& rows, const Gmm* previous, const GmmOptions& options,
                                      const DensityFitContext& context) {
  const Observer& observer = context.observer != nullptr ? *context.observer : silent_observer();
  const GmmProblem problem(rows, options, context.threads, observer);
  const Ascent<GmmProblem> ascent(problem, rows, options.max_iterations, options.tolerance);
  const bool diagonal =
      options.covariance == CovarianceType::diagonal || options.covariance == CovarianceType::spherical;
  const Index n_components =
      component_limit(options.components, rows.total_weight(), rows.frame().n_features());
  StartSample sample;
  if (previous == nullptr) sample = rows.sample(context.seed, context.threads, observer);
  const auto start = [&](Index restart) {
    const std::uint64_t seed =
        derive_seed(context.seed, RandomPurpose::restart, static_cast<std::uint64_t>(restart));
    return problem.start_from(rows.start(sample, n_components, diagonal, seed, context.threads, observer));
  };
  Ascent<GmmProblem>::Result result = climb(ascent, previous != nullptr ? &previous->parameters() : nullptr,
                                            context.single_step, options.restarts, start);
  return std::make_shared<Gmm>(rows.frame(), std::move(result.parameters), std::move(result.summary));
}

Frame fit_frame(const RowMoments& rows, const DensityFitContext& context) {
  // As many reference rows as would determine a covariance matrix.
  return make_frame(rows, {}, {}, context.reference_variance, static_cast<double>(rows.mean.size()) + 1.0);
}

/// What is particular to this family on the way of fit_mixture.
struct GmmRoute {
  const GmmOptions& options;
  const DensityFitContext& context;

  Frame operator()(const RowMoments& moments) const { return fit_frame(moments, context); }
  std::shared_ptr<const Density> operator()(const FitRows& rows, const Gmm* previous) const {
    return fit_to(rows, previous, options, context);
  }
};

} // namespace

std::shared_ptr<const Density> fit_density(const GmmOptions& options, const WeightedRows& rows,
                                           const DensityFitContext& context) {
  const GmmRoute route{options, context};
  return fit_mixture<Gmm>(rows, context, route, route);
}

std::shared_ptr<const Density> fit_density(const GmmOptions& options, RowSource& rows,
                                           const DensityFitContext& context) {
  const GmmRoute route{options, context};
  return fit_mixture<Gmm>(rows, context, "gmm", route, route);
}

} // namespace lacuna
