#pragma once

#include <array>
#include <optional>

#include "lacuna/core/matrix.hpp"
#include "lacuna/core/options.hpp"

namespace LACUNA_API lacuna {

enum class CovarianceType { full, tied, diagonal, spherical };
constexpr auto choice_names(CovarianceType) {
  return std::array{ChoiceName{CovarianceType::full, "full"}, ChoiceName{CovarianceType::tied, "tied"},
                    ChoiceName{CovarianceType::diagonal, "diagonal"},
                    ChoiceName{CovarianceType::spherical, "spherical"}};
}

enum class WeightPrior { dirichlet, stick_breaking };
constexpr auto choice_names(WeightPrior) {
  return std::array{ChoiceName{WeightPrior::dirichlet, "dirichlet"},
                    ChoiceName{WeightPrior::stick_breaking, "stick-breaking"}};
}

/// What `log_density` returns. Only `predictive` and `plug_in` are densities: `expected_log` has a mass below
/// one.
enum class DensityForm { predictive, plug_in, expected_log };
constexpr auto choice_names(DensityForm) {
  return std::array{ChoiceName{DensityForm::predictive, "predictive"},
                    ChoiceName{DensityForm::plug_in, "plug-in"},
                    ChoiceName{DensityForm::expected_log, "expected-log"}};
}

/// How wide the kernels are: by a rule, or where each row is likeliest under all others.
enum class KdeBandwidth { likelihood, silverman, scott };
constexpr auto choice_names(KdeBandwidth) {
  return std::array{ChoiceName{KdeBandwidth::likelihood, "likelihood"},
                    ChoiceName{KdeBandwidth::silverman, "silverman"},
                    ChoiceName{KdeBandwidth::scott, "scott"}};
}

/// Options of the variational Bayes Gaussian mixture, with Dirichlet categories. Priors are in units of the
/// data (docs/math/vb-mixture.md). Limits and defaults in words: docs/options.md.
struct VbMixtureOptions {
  static constexpr const char* family = "vb-gmm";

  std::optional<Index> components = 7; ///< the most there can be; empty: as many as the evidence favours
  CovarianceType covariance = CovarianceType::full;
  Index restarts = 1;
  Index max_iterations = 500;
  double tolerance = 1e-5;
  WeightPrior weight_prior = WeightPrior::dirichlet;
  DensityForm density_form = DensityForm::predictive;
  std::optional<double> weight_concentration = {}; ///< empty: 1/components, or 1 with stick-breaking
  double mean_precision = 1.0;                     ///< beta_0
  std::optional<double> degrees_of_freedom = {};   ///< nu_0; empty: the number of features
  double covariance_scale = 0.3;
  double category_concentration = 1.0;
  bool own_covariance = false;

  static const OptionTable<VbMixtureOptions>& table();
};

/// Options of the Gaussian mixture by maximum likelihood (docs/math/gmm.md).
struct GmmOptions {
  static constexpr const char* family = "gmm";

  Index components = 7;
  CovarianceType covariance = CovarianceType::full;
  Index restarts = 1;
  Index max_iterations = 500;
  double tolerance = 1e-5;
  double covariance_floor = 1e-4;

  static const OptionTable<GmmOptions>& table();
};

/// Options of the kernel density estimate (docs/math/kde.md). Its densities hold the rows they were fitted
/// to, and so do saved models.
struct KdeOptions {
  static constexpr const char* family = "kde";

  KdeBandwidth kde_bandwidth = KdeBandwidth::likelihood;
  double kde_tolerance = 1e-4;

  static const OptionTable<KdeOptions>& table();
};

/// Options of the Dirichlet process mixture, sampled by a Markov chain (docs/math/dp-gmm.md). Priors are in
/// units of the data.
struct DpMixtureOptions {
  static constexpr const char* family = "dp-gmm";

  Index dp_iterations = 300;
  Index dp_burn_in = 150;
  Index dp_draws = 15;
  double dp_separation = 3.0;
  double dp_concentration = 0.3;

  static const OptionTable<DpMixtureOptions>& table();
  void check_together(OptionChecks& checks) const;
};

} // namespace lacuna
