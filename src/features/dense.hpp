#pragma once

#include "lacuna/core/matrix.hpp"

namespace lacuna {

/// A matrix of floats seen through strides: value (i, j) at data[i * row + j * column].
struct FloatView {
  const float* data = nullptr;
  Index row = 0;
  Index column = 1;

  FloatView transposed() const { return {data, column, row}; }
};

/// Products of float matrices, compiled once per instruction set (dense_impl.cpp). Every number of a result
/// is summed in the same order whatever the sizes, so that neither blocks nor threads change a bit.
struct DenseKernels {
  /// c (m x n, row-major with `c_row` numbers from row to row) = a (m x k) b (k x n) + bias. `bias` has n
  /// numbers, or is null for none. `scratch` has room for dense_scratch * k numbers.
  void (*multiply)(FloatView a, FloatView b, const float* bias, float* c, Index c_row, Index m, Index n,
                   Index k, float* scratch);
};

inline constexpr Index dense_scratch = 32;

/// Columns of c that are computed together: who shares out work cuts at its multiples.
inline constexpr Index dense_columns = 32;

/// The kernels for this processor.
const DenseKernels& dense_kernels();

} // namespace lacuna
