#pragma once

#include <vector>

#include "density/dp_state.hpp"
#include "density/frame.hpp"
#include "density/mixture_terms.hpp"
#include "lacuna/density/density.hpp"

namespace lacuna {

/// The kept draws of a chain: the clusters of all draws, one draw after another.
struct DpDraws {
  double base_beta = 1.0;
  double base_nu = 1.0;
  double base_scatter = 1.0;
  std::vector<double> concentration; ///< per draw
  std::vector<double> n_clusters;    ///< per draw
  std::vector<double> rows;          ///< per cluster: the weight of its rows
  Matrix mean;                       ///< clusters x features: of the cluster's posterior, in the frame
  Matrix whitener;                   ///< clusters x packed triangle: A with A' A = Psi^-1

  Index n_features() const { return mean.n_cols(); }
  NormalInverseWishart base() const;
  NormalInverseWishart posterior(Index cluster) const;
};

/// Collects draws one after another.
class DpDrawList {
public:
  explicit DpDrawList(const NormalInverseWishart& base) : base_(base) {}
  void add(double concentration, std::span<const DpCluster> clusters);
  DpDraws finish() const;

private:
  const NormalInverseWishart& base_;
  DpDraws draws_;
  std::vector<double> mean_;
  std::vector<double> whitener_;
};

/// A fitted Dirichlet process mixture: the mean of the predictive densities of its draws.
class DpMixture : public Density {
public:
  DpMixture(Frame frame, DpDraws draws, DensityFitSummary summary);

  void log_density(MatrixView rows, std::span<double> out) const override;
  /// A kept state and parameters drawn given it (docs/math/dp-gmm.md, section 5), as a Gaussian mixture.
  std::shared_ptr<const Density> posterior_draw(Index draw, Index n_draws, std::uint64_t seed) const override;
  void sample(RandomStream& random, std::span<double> out) const override;
  static std::shared_ptr<const DpMixture> load(const Archive& archive, const std::string& prefix,
                                               DensityFacts facts);

  const Frame& frame() const { return frame_; }
  const DpDraws& draws() const { return draws_; }
  /// One draw's clusters, without the part of those yet unseen, as the kernels take them.
  MixtureTerms draw_terms(Index draw) const;

private:
  /// Where the clusters of a draw begin.
  Index first_cluster(Index draw) const;
  void save_parts(Archive& archive, const std::string& prefix) const override;

  Frame frame_;
  DpDraws draws_;
  std::vector<double> weight_; ///< of each cluster, then of the base measure; sums to one
  MixtureTerms terms_;
};

} // namespace lacuna
