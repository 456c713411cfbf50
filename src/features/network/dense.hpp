#pragma once

#include <span>

#include "lacuna/core/matrix.hpp"

namespace lacuna {

/// A matrix of floats seen through strides: value (i, j) at data[i * row + j * column].
struct FloatView {
  const float* data = nullptr;
  Index row = 0;
  Index column = 1;

  FloatView transposed() const { return {data, column, row}; }
};

/// What one step of Adam does to every parameter p with gradient g: m = keep_1 m + new_1 g,
/// v = keep_2 v + new_2 g^2, p -= rate m / (sqrt(v) root + epsilon).
struct AdamStep {
  float keep_1;
  float new_1;
  float keep_2;
  float new_2;
  float rate;
  float root;
  float epsilon;
};

/// A function of single numbers and its gradient.
struct DenseActivation {
  void (*apply)(float* values, Index n);
  /// Multiplies gradients by the derivative, told from the function's results.
  void (*pull_back)(const float* results, float* gradients, Index n);
};

/// The inner loops of dense networks, compiled once per instruction set (dense_impl.cpp). Every number of a
/// result is computed by the same operations in the same order whatever the sizes, so that neither blocks nor
/// threads change a bit.
struct DenseKernels {
  Index lanes; ///< floats in a vector
  Index panel; ///< columns of a product that are computed together, a multiple of `lanes`

  /// b (k x n) as `multiply` wants it: panels of `panel` columns, in each the k rows one after the other. The
  /// last panel is only as wide as `lanes` demands, with zeros behind its columns.
  void (*pack)(FloatView b, Index k, Index n, float* to);
  /// c (m x n, row-major with `c_row` numbers from row to row) = start + a (m x k) b. `start` has n numbers,
  /// the same for every row, or is null for none. Either the rows or the columns of a lie side by side.
  void (*multiply)(FloatView a, const float* packed, const float* start, float* c, Index c_row, Index m,
                   Index n, Index k);
  /// c += a b, the same otherwise.
  void (*multiply_add)(FloatView a, const float* packed, float* c, Index c_row, Index m, Index n, Index k);
  /// Sums of the columns of a panel of `width` columns with k rows.
  void (*sum_rows)(const float* packed, Index k, Index width, float* sums);

  DenseActivation relu;
  DenseActivation tanh;
  DenseActivation sigmoid;
  /// Log likelihood of a row x under logits y, and the gradient of minus it by y, scaled.
  float (*bernoulli)(const float* x, const float* y, float* gradient, Index n, float scale);
  void (*adam)(const AdamStep& step, const float* gradients, float* parameters, float* first, float* second,
               Index n);

  Index rounded(Index n) const { return (n + lanes - 1) / lanes * lanes; }
  /// Width of the panel that begins at column `first` of n.
  Index width(Index first, Index n) const { return n - first < panel ? rounded(n - first) : panel; }
  /// Numbers in a packed matrix. A panel that begins at column j begins at number j * k.
  Index packed_size(Index k, Index n) const { return k * rounded(n); }
};

/// The kernels for this processor.
const DenseKernels& dense_kernels();

/// Every set this processor can run, the plain one first; for tests.
std::span<const DenseKernels* const> available_dense_kernels();

} // namespace lacuna
