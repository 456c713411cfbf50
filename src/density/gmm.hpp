#pragma once

#include <vector>

#include "density/frame.hpp"
#include "density/mixture_moments.hpp"
#include "density/mixture_terms.hpp"
#include "lacuna/density/density.hpp"
#include "lacuna/density/options.hpp"

namespace lacuna {

/// A Gaussian mixture in the frame.
struct GmmParameters {
  CovarianceType covariance = CovarianceType::full;
  std::vector<double> weight; ///< sums to one
  Matrix mean;                ///< components x features
  /// A_k with inverse covariance A_k' A_k: packed lower triangles, or the diagonal of the inverse covariance.
  Matrix whitener;
  std::vector<double> log_det; ///< log |covariance_k|

  Index n_components() const { return mean.n_rows(); }
  bool is_diagonal() const {
    return covariance == CovarianceType::diagonal || covariance == CovarianceType::spherical;
  }
};

/// The M-step (docs/math/gmm.md, eq. 3 to 5): the parameters that maximise the expected log likelihood among
/// those whose covariances have no variance below `floor` in any direction. Components without rows are gone.
GmmParameters maximise(const MixtureMoments& moments, CovarianceType covariance, double floor);

/// The mixture as the kernels take it.
MixtureTerms make_terms(const GmmParameters& parameters);

/// Fills in the components, and BIC and AIC from the objective (docs/math/gmm.md, section 3).
void describe(const GmmParameters& parameters, double total_weight, DensityFitSummary& summary);

/// A fitted Gaussian mixture.
class Gmm : public Density {
public:
  Gmm(Frame frame, GmmParameters parameters, DensityFitSummary summary);

  void log_density(MatrixView rows, std::span<double> out) const override;
  void sample(RandomStream& random, std::span<double> out) const override;
  static std::shared_ptr<const Gmm> load(const Archive& archive, const std::string& prefix,
                                         DensityFacts facts);

  const Frame& frame() const { return frame_; }
  const GmmParameters& parameters() const { return parameters_; }

private:
  void save_parts(Archive& archive, const std::string& prefix) const override;

  Frame frame_;
  GmmParameters parameters_;
  MixtureTerms terms_;
};

} // namespace lacuna
