#pragma once

#include <cstdint>
#include <string>

#include "lacuna/core/matrix.hpp"
#include "lacuna/density/families.hpp"

namespace lacuna {

enum class Method { supervised, mcar_sampling, mcar_em, mar };
enum class PosteriorForm { joint, product };

/// The threshold of the informative region: a number, or chosen from the labeled rows ("auto:0.05").
struct KappaOption {
  bool is_auto = true;
  double alpha = 0.05; ///< auto: at most this share of rows like the labeled ones is called uninformative
  double value = 0.0;  ///< otherwise: the threshold itself
};

/// How missing labels in the informative region are filled: n random draws, averaged, or their probabilities.
struct DrawsOption {
  bool is_soft = false; ///< use the class probabilities themselves as weights; nothing is drawn
  Index n_draws = 5;    ///< otherwise: number of imputations that are averaged
};

/// Everything that decides a fit, beside the data.
struct LearningOptions : DensityOptions {
  Method method = Method::mar;
  KappaOption kappa;
  PosteriorForm posterior = PosteriorForm::joint; ///< joint is exact; product replicates the paper
  DrawsOption draws;
  Index max_em_iterations = 500; ///< mcar-em: rounds of filling and fitting
  double em_tolerance =
      1e-4;          ///< mcar-em: converged when the log likelihood changes by less than this per row
  Index n_folds = 5; ///< kappa auto: folds of the cross-fit
  std::uint64_t seed = 0;
  int threads = 0; ///< 0: all cores. Never changes a result
};

/// Throws Error(usage) that lists every option outside its limits.
void check_options(const LearningOptions& options);

/// What the authors' scripts evaluate: five components with a prior from the class's own rows, expected-log
/// density, one draw, product, kappa 0.
void apply_paper_preset(LearningOptions& options);

/// Names as the command line and the model file spell them ("mcar-em"); parsing throws Error(usage).
std::string to_string(Method method);
std::string to_string(PosteriorForm form);
std::string to_string(const KappaOption& kappa);
std::string to_string(const DrawsOption& draws);
std::string to_string(CovarianceType type);
std::string to_string(WeightPrior prior);
std::string to_string(DensityForm form);
std::string to_string(KdeBandwidth bandwidth);
Method parse_method(const std::string& text);
PosteriorForm parse_posterior(const std::string& text);
KappaOption parse_kappa(const std::string& text);
DrawsOption parse_draws(const std::string& text);
CovarianceType parse_covariance(const std::string& text);
WeightPrior parse_weight_prior(const std::string& text);
DensityForm parse_density_form(const std::string& text);
KdeBandwidth parse_kde_bandwidth(const std::string& text);

} // namespace lacuna
