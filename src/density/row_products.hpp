#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "lacuna/core/matrix.hpp"

// What mixtures ask liblacuna_torch.so for. This header is all that both sides share.
namespace lacuna {

/// A mixture as matrix products take it (docs/math/products.md). The products of a row x are x_i x_j (j <= i,
/// one i after another; of a diagonal mixture x_j^2 alone), then the x_j, then 1.
struct ProductMixture {
  bool is_diagonal = false;
  bool is_student = false; ///< constant - power log(1 + factor q); otherwise constant - q / 2
  /// Near components x products: of a student mixture what q is a sum of; otherwise of the whole logarithm.
  Matrix forms;
  Matrix far_mean;     ///< far components x features
  Matrix far_whitener; ///< far components x (features^2, zeros above the diagonal; diagonal: precisions)
  // One number per component, the near ones first.
  std::vector<double> constant;
  std::vector<double> power;
  std::vector<double> factor;

  Index n_near() const { return forms.n_rows(); }
  Index n_far() const { return far_mean.n_rows(); }
};

/// Sums over rows of responsibility times products: of near components the products of x, of far ones those
/// of x less the component's mean.
struct ProductSums {
  Matrix near; ///< near components x products
  Matrix far;
  double log_likelihood = 0.0;
};

inline constexpr Index n_products(Index n_features, bool is_diagonal) {
  return (is_diagonal ? n_features : n_features * (n_features + 1) / 2) + n_features + 1;
}

/// Rows that lie where they are computed with. Sums are added in a fixed order.
class RowProducts {
public:
  virtual ~RowProducts() = default;
  virtual std::string device() const = 0;
  /// Rows first .. first + count: value j of row b at [j * count + b], and their weights.
  virtual void put(Index first, Index count, const double* features, const double* weights) = 0;
  virtual ProductSums collect(const ProductMixture& mixture) = 0;
  /// log sum_k exp of the logarithms, one per row.
  virtual void log_density(const ProductMixture& mixture, std::span<double> out) = 0;
};

struct RowProductsPlugin {
  /// Not on the GPU: the same on the CPU, for tests without a GPU.
  std::unique_ptr<RowProducts> (*place_rows)(Index n_rows, Index n_features, bool on_gpu);
};

/// The name under which the library exports `const RowProductsPlugin* lacuna_row_products_plugin()`.
inline constexpr const char* row_products_symbol = "lacuna_row_products_plugin";

} // namespace lacuna
