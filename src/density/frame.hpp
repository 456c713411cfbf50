#pragma once

#include <span>
#include <string>
#include <vector>

#include "lacuna/core/archive.hpp"
#include "lacuna/core/matrix.hpp"

namespace lacuna {

/// The units a density works in: each feature shifted to mean zero and scaled to a typical size of one.
/// Because priors live in this frame, fits do not change when a user shifts or rescales the features.
struct Frame {
  std::vector<double> center;
  std::vector<double> scale; ///< positive

  Index n_features() const { return static_cast<Index>(center.size()); }
  /// log |dz/dx|: add it to a log density in the frame to get one in the user's units.
  double log_jacobian() const;
  void save(Archive& archive, const std::string& prefix) const;
  static Frame load(const Archive& archive, const std::string& prefix, Index n_features);
};

/// The frame of weighted rows. The variance is the rows' own, drawn towards `reference_variance` as if by
/// `reference_rows` more rows of it, so that a single row or a constant feature has a scale too. With no such
/// rows, only a feature without a variance of its own takes the reference's.
Frame make_frame(const WeightedRows& rows, std::span<const double> reference_variance, double reference_rows);

} // namespace lacuna
