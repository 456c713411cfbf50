#include "lacuna/density/options.hpp"

namespace lacuna {

namespace {

/// Prior evidence counts rows, and has their limit: beyond it the rows themselves would count for nothing.
constexpr double most_evidence = 1e12;

/// What both kinds of mixture have beside the number of components.
template <class Options>
OptionTable<Options> mixture_rows(Option<Options> components) {
  return {std::move(components),
          option("covariance", &Options::covariance, "TYPE", "Shape of the components"),
          option("restarts", &Options::restarts, "N", "Starts per density; the best is kept", {.low = 1}),
          option("max_iterations", &Options::max_iterations, "N", "Most iterations per start", {.low = 1}),
          option("tolerance", &Options::tolerance, "X",
                 "Converged when the objective changes by less than this share of itself", {.low = 0.0})};
}

} // namespace

const OptionTable<VbMixtureOptions>& VbMixtureOptions::table() {
  using O = VbMixtureOptions;
  static const OptionTable<O> rows = [] {
    OptionTable<O> all = mixture_rows(option(
        "components", &O::components, "K",
        "Most components, of which vb-gmm switches unneeded ones off; auto lets it look for as many as it "
        "needs",
        {.low = 1, .high = 10000, .unset = "auto"}));
    const OptionTable<O> own{
        option("weight_prior", &O::weight_prior, "PRIOR", "Prior of the mixing weights"),
        option("density_form", &O::density_form, "FORM",
               "What the log density is; expected-log is no density, its mass is below one"),
        option("weight_concentration", &O::weight_concentration, "X",
               "Prior of the mixing weights; 0 lets it follow " + mention("components"),
               {.above = 0.0, .high = most_evidence, .unset = "0"}),
        option("mean_precision", &O::mean_precision, "X", "Rows of prior evidence for a component's mean",
               {.above = 0.0, .high = most_evidence}),
        option("degrees_of_freedom", &O::degrees_of_freedom, "X",
               "Of the Wishart prior; 0 stands for the number of features",
               {.above = 0.0, .high = most_evidence, .unset = "0"}),
        option("covariance_scale", &O::covariance_scale, "X",
               "Prior scatter of a component, relative to the data's variance", {.low = 1e-12, .high = 1e12}),
        option("category_concentration", &O::category_concentration, "X",
               "Prior rows of each category in a component", {.above = 0.0, .high = most_evidence}),
        option("own_covariance", &O::own_covariance, "",
               "Prior scatter from the rows' own covariance alone; else few rows borrow from all")};
    all.insert(all.end(), own.begin(), own.end());
    return all;
  }();
  return rows;
}

const OptionTable<GmmOptions>& GmmOptions::table() {
  static const OptionTable<GmmOptions> rows = [] {
    OptionTable<GmmOptions> all = mixture_rows(
        option("components", &GmmOptions::components, "K",
               "Components, fewer when the rows cannot tell so many apart", {.low = 1, .high = 10000}));
    all.push_back(option("covariance_floor", &GmmOptions::covariance_floor, "X",
                         "Least variance of a component, relative to the data's variance",
                         {.low = 1e-12, .high = 1.0}));
    return all;
  }();
  return rows;
}

const OptionTable<KdeOptions>& KdeOptions::table() {
  static const OptionTable<KdeOptions> rows{
      option("kde_bandwidth", &KdeOptions::kde_bandwidth, "RULE",
             "Width of the kernels: likelihood (leave-one-out), silverman or scott"),
      option("kde_tolerance", &KdeOptions::kde_tolerance, "X",
             "Largest relative error of a density; 0 for exact sums", {.low = 0.0, .high = 0.1})};
  return rows;
}

const OptionTable<DpMixtureOptions>& DpMixtureOptions::table() {
  using O = DpMixtureOptions;
  static const OptionTable<O> rows{
      option("dp_iterations", &O::dp_iterations, "N", "Iterations of the Markov chain, the burn-in included",
             {.low = 2, .high = 10'000'000}),
      option("dp_burn_in", &O::dp_burn_in, "N", "First iterations that count for nothing", {.low = 0}),
      option("dp_draws", &O::dp_draws, "N",
             "Later iterations, evenly spaced, that the density is averaged over", {.low = 1}),
      option("dp_separation", &O::dp_separation, "X",
             "Expected distance of two clusters, in standard deviations of one", {.low = 0.01, .high = 1000}),
      option("dp_concentration", &O::dp_concentration, "X",
             "Prior mean of the concentration; larger means more clusters", {.low = 1e-6, .high = 1e6})};
  return rows;
}

void DpMixtureOptions::check_together(OptionChecks& checks) const {
  checks.require(dp_burn_in < dp_iterations, "dp_burn_in", std::to_string(dp_burn_in),
                 "less than " + mention("dp_iterations"));
  checks.require(dp_burn_in >= dp_iterations || dp_draws <= dp_iterations - dp_burn_in, "dp_draws",
                 std::to_string(dp_draws),
                 "at most " + mention("dp_iterations") + " less " + mention("dp_burn_in"));
}

} // namespace lacuna
