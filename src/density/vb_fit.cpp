#include <algorithm>
#include <cmath>
#include <optional>

#include <fmt/format.h>

#include "density/ascent.hpp"
#include "density/mixture_fit.hpp"
#include "density/own_families.hpp"
#include "density/vb_mixture.hpp"
#include "density/vb_problem.hpp"
#include "lacuna/core/errors.hpp"
#include "lacuna/density/options.hpp"

namespace lacuna {

namespace {

Frame fit_frame(const RowMoments& rows, const DensityFitContext& context, bool own_covariance) {
  // As many reference rows as would determine a covariance matrix.
  double reference_rows = static_cast<double>(rows.mean.size()) + 1.0;
  for (const Index n : context.levels)
    if (n > 0) reference_rows -= 1.0;
  return make_frame(rows, context.levels, context.reference_mean, context.reference_variance,
                    own_covariance ? 0.0 : reference_rows);
}

std::vector<Index> level_counts(const Frame& frame) {
  std::vector<Index> counts;
  for (const CategoryColumn& category : frame.categories) counts.push_back(category.n_levels);
  return counts;
}

/// The prior scatter becomes the rows' own covariance, as scikit-learn estimates it (docs/math/vb-mixture.md,
/// section 2).
void take_own_covariance(VbPrior& prior, const FitRows& rows, const Observer& observer) {
  const double total = rows.total_weight();
  if (total > 0.0) prior.scatter *= total / std::max(total - 1.0, 0.5 * total);
  if (!is_diagonal(prior.covariance))
    prior.set_correlation(rows.correlation(observer), rows.frame().n_features());
}

/// What is known when no row has a value: the prior.
Ascent<VbProblem>::Result prior_alone(const VbPrior& prior, const Frame& frame) {
  constexpr double hardly_a_row = 1e-6;
  MixtureMoments nothing(Matrix(1, frame.n_features()), is_diagonal(prior.covariance), frame.n_levels());
  nothing.zeroth[0] = hardly_a_row;
  DensityFitSummary summary;
  summary.n_components = 1;
  return {{prior, update_posterior(prior, nothing)}, std::move(summary)};
}

/// Automatic capacity begins once more from so few components: the default number.
constexpr Index few_components = 7;

/// Where automatic capacity begins, and the most it can end with (docs/math/vb-mixture.md, section 11).
Index most_auto_components(double total_weight) {
  constexpr double most = 100.0;
  return static_cast<Index>(
      std::ceil(std::clamp(2.0 * std::cbrt(total_weight), static_cast<double>(few_components), most)));
}

void check_degrees_of_freedom(const VbMixtureOptions& options, Index n_features) {
  const bool is_full =
      options.covariance == CovarianceType::full || options.covariance == CovarianceType::tied;
  if (is_full && options.degrees_of_freedom &&
      *options.degrees_of_freedom <= static_cast<double>(n_features) - 1.0) {
    ErrorParts parts;
    parts.option = "degrees_of_freedom";
    parts.found = fmt::format("{}", *options.degrees_of_freedom);
    parts.expected = fmt::format("more than {} (features - 1)", n_features - 1);
    throw Error(ErrorKind::usage, std::move(parts));
  }
}

std::shared_ptr<const Density> fit_to(const FitRows& rows, const VbMixture* previous,
                                      const VbMixtureOptions& options, const DensityFitContext& context) {
  const Observer& observer = context.observer != nullptr ? *context.observer : silent_observer();
  const Frame& frame = rows.frame();
  check_degrees_of_freedom(options, frame.n_features());
  const bool is_auto = !options.components;
  const Index wanted = is_auto ? most_auto_components(rows.total_weight()) : *options.components;
  VbPrior prior =
      previous != nullptr
          ? previous->prior()
          : VbPrior::from_options(options, component_limit(wanted, rows.total_weight(), frame.n_columns()),
                                  frame.n_features(), level_counts(frame));
  if (previous == nullptr && options.own_covariance) take_own_covariance(prior, rows, observer);
  // A warm start needs none, and keeps its capacity.
  StartSample sample;
  if (previous == nullptr) sample = rows.sample(context.seed, context.threads, observer);
  std::optional<AutoCapacity> capacity;
  if (is_auto && previous == nullptr)
    capacity = AutoCapacity{prior.n_components, &sample, !options.weight_concentration};
  const VbProblem problem(rows, capacity, context.threads, observer);
  const Ascent<VbProblem> ascent(problem, rows, options.max_iterations, options.tolerance);
  // With automatic capacity every other start has few components.
  const auto start = [&](Index number) {
    const Index restart = capacity ? number / 2 : number;
    const Index n_centers =
        capacity && number % 2 == 1 ? std::min(few_components, prior.n_components) : prior.n_components;
    const std::uint64_t seed =
        derive_seed(context.seed, RandomPurpose::restart, static_cast<std::uint64_t>(restart));
    return problem.fit_to(
        prior, rows.start(sample, n_centers, is_diagonal(prior.covariance), seed, context.threads, observer));
  };
  std::optional<VbFit> warm;
  if (previous != nullptr) warm = VbFit{previous->prior(), previous->posterior()};
  Ascent<VbProblem>::Result result = rows.total_weight() > 0.0
                                         ? climb(ascent, warm ? &*warm : nullptr, context.single_step,
                                                 (capacity ? 2 : 1) * options.restarts, start)
                                         : prior_alone(prior, frame);
  return std::make_shared<VbMixture>(frame, result.parameters.prior, std::move(result.parameters.posterior),
                                     options.density_form, std::move(result.summary));
}

/// What is particular to this family on the way of fit_mixture. A warm start keeps the prior, too.
struct VbRoute {
  const VbMixtureOptions& options;
  const DensityFitContext& context;

  Frame operator()(const RowMoments& moments) const {
    return fit_frame(moments, context, options.own_covariance);
  }
  std::shared_ptr<const Density> operator()(const FitRows& rows, const VbMixture* previous) const {
    return fit_to(rows, previous, options, context);
  }
};

} // namespace

std::shared_ptr<const Density> fit_density(const VbMixtureOptions& options, const WeightedRows& rows,
                                           const DensityFitContext& context) {
  const VbRoute route{options, context};
  return fit_mixture<VbMixture>(rows, context, route, route);
}

std::shared_ptr<const Density> fit_density(const VbMixtureOptions& options, RowSource& rows,
                                           const DensityFitContext& context) {
  const VbRoute route{options, context};
  return fit_mixture<VbMixture>(rows, context, "", route, route);
}

} // namespace lacuna
