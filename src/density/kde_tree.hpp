#pragma once

#include <span>
#include <vector>

#include "lacuna/core/matrix.hpp"

namespace lacuna {

/// The order in which a KdeTree wants its points: neighbours in space stand near each other. Depends on the
/// points alone.
std::vector<Index> leaf_order(const Matrix& points, int threads = 1);

/// Weighted points in a tree that sums Gaussian kernels to a stated relative error (docs/math/kde.md, section
/// 3). Leaves hold consecutive points, and every node above holds consecutive nodes, so that nothing but the
/// order has to be stored.
class KdeTree {
public:
  /// Scratch space of a query; one per thread.
  struct Scratch {
    std::vector<Index> groups, survivors;
    std::vector<double> nearest, mean, farthest, lower, upper, distance;
    std::vector<char> is_open;
  };

  /// `points` in their leaf_order; `weights` are positive and sum to one.
  KdeTree(const Matrix& points, const std::vector<double>& weights);

  Index n_points() const { return n_points_; }
  Index n_features() const { return d_; }
  void point(Index i, double* out) const;
  double weight(Index i) const { return weights_[static_cast<std::size_t>(i)]; }
  /// The point nearest to the query.
  Index nearest(const double* query) const;

  static constexpr Index none = -1;
  /// log of the sum over points of weight exp(-precision |query - point|^2 / 2), with a relative error of the
  /// sum of at most `tolerance` (and rounding). The point `left_out`, which must be the query, does not
  /// count.
  double log_sum(const double* query, double tolerance, Scratch& scratch, double precision = 1.0,
                 Index left_out = none) const;

  struct Question {
    const double* point;
    double precision = 1.0;
    Index left_out = none;
  };
  /// The same for many, each with the same bits as alone. What a sum takes is mostly points that come from
  /// memory: here they come once for all.
  void log_sums(std::span<const Question> questions, double tolerance, std::span<double> out) const;

private:
  /// Summaries of the nodes of one level, feature by feature, padded with nodes of weight zero.
  struct Level {
    Level(Index n_nodes, Index d);
    Index n_nodes;
    Index stride;
    std::vector<double> low, high, centroid; ///< d x stride
    std::vector<double> scatter, weight;
  };
  class Query;
  class Search;

  void summarise_leaves();
  void add_level();
  const double* leaf(Index l) const;

  Index n_points_;
  Index d_;
  std::vector<double> values_; ///< per leaf: features x leaf_size
  std::vector<double> weights_;
  std::vector<Level> levels_; ///< leaves first
};

} // namespace lacuna
