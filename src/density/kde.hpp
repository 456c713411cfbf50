#pragma once

#include <functional>
#include <vector>

#include "density/frame.hpp"
#include "density/kde_tree.hpp"
#include "lacuna/density/density.hpp"
#include "lacuna/density/options.hpp"

namespace lacuna {

/// A fitted kernel density estimate: the rows, whitened by the bandwidth matrix, in a tree.
class Kde : public Density {
public:
  /// `whitener` is the packed lower triangle that maps the frame to units of the bandwidth.
  Kde(Frame frame, std::vector<double> whitener, KdeTree tree, double bandwidth_factor, double tolerance,
      DensityFitSummary summary);

  void log_density(MatrixView rows, std::span<double> out) const override;
  void log_density_left_out(MatrixView rows, std::span<const double> shares,
                            std::span<double> out) const override;
  void sample(RandomStream& random, std::span<double> out) const override;
  static std::shared_ptr<const Kde> load(const Archive& archive, const std::string& prefix,
                                         DensityFacts facts);

  double bandwidth_factor() const { return bandwidth_factor_; }
  const KdeTree& tree() const { return tree_; }

private:
  void in_blocks(MatrixView rows, const std::function<void(Index first, const Matrix& queries)>& visit) const;
  void save_parts(Archive& archive, const std::string& prefix) const override;

  Frame frame_;
  std::vector<double> whitener_;
  KdeTree tree_;
  double bandwidth_factor_;
  double tolerance_;
  double log_constant_; ///< of one kernel, in the user's units
  std::vector<double> cumulative_weight_;
};

/// out = whitener (row - center) / scale, kept so small that squares stay finite.
void whiten_row(const Frame& frame, const std::vector<double>& whitener, const double* row, double* out);

} // namespace lacuna
