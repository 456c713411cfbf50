// Compiled once per instruction set. Includes nothing that could leave a copy of a shared inline function
// behind: the linker might choose that copy for everyone, on processors that cannot run it.
#include "features/dense.hpp"

#ifndef LACUNA_DENSE_SET
#define LACUNA_DENSE_SET dense_plain
#define LACUNA_KERNEL_BYTES 16
#endif

namespace lacuna {

extern const DenseKernels LACUNA_DENSE_SET;

namespace {

typedef float Vector __attribute__((vector_size(LACUNA_KERNEL_BYTES), aligned(4), may_alias));

constexpr Index lanes = LACUNA_KERNEL_BYTES / static_cast<Index>(sizeof(float));
constexpr Index tile_columns = 2 * lanes;
// As many rows as leave registers for two vectors of b and one number of a.
constexpr int tile_rows = LACUNA_KERNEL_BYTES == 64 ? 12 : 6;
static_assert(tile_columns <= dense_scratch && dense_columns % tile_columns == 0);

// Columns first .. first + count of b, side by side, zeros behind them.
void pack(FloatView b, Index first, Index count, Index k, float* to) {
  for (Index p = 0; p < k; ++p) {
    const float* from = b.data + p * b.row + first * b.column;
    for (Index j = 0; j < count; ++j) to[p * tile_columns + j] = from[j * b.column];
    for (Index j = count; j < tile_columns; ++j) to[p * tile_columns + j] = 0.0F;
  }
}

// The same when b is stored column by column: read along the columns, which is the way it lies.
void pack_transposed(FloatView b, Index first, Index count, Index k, float* to) {
  constexpr Index block = 16;
  for (Index p0 = 0; p0 < k; p0 += block) {
    const Index p1 = p0 + block < k ? p0 + block : k;
    for (Index j = 0; j < tile_columns; ++j) {
      const float* from = b.data + (first + j) * b.column;
      for (Index p = p0; p < p1; ++p) to[p * tile_columns + j] = j < count ? from[p] : 0.0F;
    }
  }
}

template <int rows>
void tile(FloatView a, const float* packed, const float* bias, float* c, Index c_row, Index n, Index k) {
  Vector sum[rows][2];
  for (int r = 0; r < rows; ++r) sum[r][0] = sum[r][1] = Vector{};
  for (Index p = 0; p < k; ++p) {
    const Vector b0 = *reinterpret_cast<const Vector*>(packed + p * tile_columns);
    const Vector b1 = *reinterpret_cast<const Vector*>(packed + p * tile_columns + lanes);
    const float* column = a.data + p * a.column;
#pragma GCC unroll 12
    for (int r = 0; r < rows; ++r) {
      const float value = column[r * a.row];
      sum[r][0] += value * b0;
      sum[r][1] += value * b1;
    }
  }
  for (int r = 0; r < rows; ++r) {
    for (Index j = 0; j < n; ++j) {
      const float value = j < lanes ? sum[r][0][j] : sum[r][1][j - lanes];
      c[r * c_row + j] = bias != nullptr ? value + bias[j] : value;
    }
  }
}

template <int rows>
void tile_of(Index n_rows, FloatView a, const float* packed, const float* bias, float* c, Index c_row,
             Index n, Index k) {
  if (n_rows == rows) return tile<rows>(a, packed, bias, c, c_row, n, k);
  if constexpr (rows > 1) tile_of<rows - 1>(n_rows, a, packed, bias, c, c_row, n, k);
}

void multiply(FloatView a, FloatView b, const float* bias, float* c, Index c_row, Index m, Index n, Index k,
              float* scratch) {
  for (Index j = 0; j < n; j += tile_columns) {
    const Index columns = n - j < tile_columns ? n - j : tile_columns;
    if (b.row == 1 && b.column != 1)
      pack_transposed(b, j, columns, k, scratch);
    else
      pack(b, j, columns, k, scratch);
    for (Index i = 0; i < m; i += tile_rows) {
      const Index rows = m - i < tile_rows ? m - i : tile_rows;
      tile_of<tile_rows>(rows, {a.data + i * a.row, a.row, a.column}, scratch,
                         bias == nullptr ? nullptr : bias + j, c + i * c_row + j, c_row, columns, k);
    }
  }
}

} // namespace

const DenseKernels LACUNA_DENSE_SET = {multiply};

} // namespace lacuna
