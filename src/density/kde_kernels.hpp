#pragma once

#include "lacuna/core/matrix.hpp"

namespace lacuna {

/// The inner loops of the kernel density estimate, on values stored feature by feature: value j of item b is
/// at x[j * stride + b]. Counts are multiples of kde_group; one copy per instruction set, as in kernels.hpp.
struct KdeKernels {
  /// Squared distances of a query to the boxes of some nodes: the least and the largest possible one, and the
  /// mean over the node's rows, |query - centroid|^2 + scatter.
  void (*node_distances)(const double* query, const double* low, const double* high, const double* centroid,
                         const double* scatter, Index stride, Index n, Index d, double* nearest, double* mean,
                         double* farthest);
  /// Bounds of the mean kernel of some nodes, times exp(shift / 2): docs/math/kde.md, eq. 4 and 5.
  /// `precision` multiplies the squared distances.
  void (*node_bounds)(const double* nearest, const double* mean, const double* farthest, Index n,
                      double precision, double shift, double* lower, double* upper);
  /// out[b] = |query - x_b|^2; returns the least of them.
  double (*distances)(const double* query, const double* x, Index stride, Index n, Index d, double* out);
  /// The sum over b of weight_b exp(-(precision * distance_b - shift) / 2), where precision * distance_b >=
  /// shift.
  double (*kernel_sum)(const double* distance, const double* weight, Index n, double precision, double shift);
  /// The same in one go from the points, with a relative error of up to quick_error, as long as
  /// (shift - precision * least) / 2 is at most quick_limit; `least` is the smallest distance.
  double (*quick_sum)(const double* query, const double* x, const double* weight, Index stride, Index n,
                      Index d, double precision, double shift, double& least);
};

inline constexpr double quick_error = 1e-8;
inline constexpr double quick_limit = 300.0;

/// Nodes have this many children; rows of a leaf are padded to a multiple of it.
inline constexpr Index kde_group = 8;

/// The kernels for this processor.
const KdeKernels& kde_kernels();

} // namespace lacuna
