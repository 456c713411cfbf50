// Compiled once per instruction set (math/simd.hpp).
#include <utility>

#include "features/network/dense.hpp"
#include "features/network/dense_curves.hpp"
#include "math/simd.hpp"

namespace lacuna {

namespace {

// A tile of a product stays in registers: rows x vectors sums, the vectors of b, one number of a. Three
// vectors need fewer loads per operation than two, and leave few enough rows for each to have its own
// pointer.
#if LACUNA_KERNEL_BYTES == 64
constexpr int tile_rows = 8;
constexpr int tile_vectors = 3;
#elif LACUNA_KERNEL_BYTES == 32
constexpr int tile_rows = 4;
constexpr int tile_vectors = 3;
#else
constexpr int tile_rows = 4;
constexpr int tile_vectors = 2;
#endif
constexpr Index panel = tile_vectors * lanes;
// Rows of b that stay in the first cache while all rows of a pass by: 24 KiB.
constexpr Index block_rows = 24 * 1024 / (panel * static_cast<Index>(sizeof(float)));

// 1 x 1, 2 x 2, ... blocks beside the diagonal change places: the transposed square in log2(lanes) rounds.
template <int distance, std::size_t... lane>
inline void exchange(Floats& x, Floats& y, std::index_sequence<lane...> /*lanes*/) {
  const Floats upper = __builtin_shufflevector(
      x, y, ((lane & distance) != 0 ? static_cast<int>(lane + lanes) - distance : static_cast<int>(lane))...);
  y = __builtin_shufflevector(
      x, y, ((lane & distance) != 0 ? static_cast<int>(lane + lanes) : static_cast<int>(lane) + distance)...);
  x = upper;
}

template <int distance>
inline void transpose(Floats (&square)[lanes]) {
  if constexpr (distance < lanes) {
#pragma GCC unroll 16
    for (int i = 0; i < lanes; ++i)
      if ((i & distance) == 0)
        exchange<distance>(square[i], square[i + distance],
                           std::make_index_sequence<static_cast<std::size_t>(lanes)>());
    transpose<2 * distance>(square);
  }
}

// One panel: columns first .. first + count of b.
void pack_panel(FloatView b, Index first, Index count, Index width, Index k, float* to) {
  for (Index p = 0; p < k; ++p) {
    const float* from = b.data + p * b.row + first * b.column;
    float* row = to + p * width;
    if (b.column == 1) {
      for (Index j = 0; j < width; j += lanes) store(row + j, load_some(from + j, count - j));
    } else {
      for (Index j = 0; j < width; ++j) row[j] = j < count ? from[j * b.column] : 0.0F;
    }
  }
}

// The same when the columns of b lie side by side, not its rows.
void pack_panel_transposed(FloatView b, Index first, Index count, Index width, Index k, float* to) {
  for (Index j = 0; j < width; j += lanes) {
    for (Index p = 0; p < k; p += lanes) {
      Floats square[lanes];
#pragma GCC unroll 16
      for (Index i = 0; i < lanes; ++i)
        square[i] = j + i < count ? load_some(b.data + (first + j + i) * b.column + p, k - p) : Floats{};
      transpose<1>(square);
      const Index rows = k - p < lanes ? k - p : lanes;
      for (Index i = 0; i < rows; ++i) store(to + (p + i) * width + j, square[i]);
    }
  }
}

void pack(FloatView b, Index k, Index n, float* to) {
  for (Index j = 0; j < n; j += panel) {
    const Index count = n - j < panel ? n - j : panel;
    const Index width = (count + lanes - 1) / lanes * lanes;
    if (b.row == 1 && b.column != 1)
      pack_panel_transposed(b, j, count, width, k, to + j * k);
    else
      pack_panel(b, j, count, width, k, to + j * k);
  }
}

/// A piece of a product: rows of a and c, k rows of a panel of b.
struct Piece {
  const float* a;
  Index a_stride; ///< from row to row where the numbers of a row lie side by side, else from column to column
  const float* b;
  const float* start; ///< of every sum; null: what c holds
  float* c;
  Index c_row;
  Index n; ///< columns of c
  Index k;
};

template <int rows, int vectors, bool by_row>
void tile(const Piece& piece) {
  Floats sum[rows][vectors];
#pragma GCC unroll 8
  for (int r = 0; r < rows; ++r) {
    const float* from = piece.start != nullptr ? piece.start : piece.c + r * piece.c_row;
#pragma GCC unroll 3
    for (int v = 0; v < vectors; ++v) sum[r][v] = load(from + v * lanes);
  }
  const Index stride = piece.a_stride;
  const float* b = piece.b;
  for (Index p = 0; p < piece.k; ++p, b += vectors * lanes) {
    Floats part[vectors];
#pragma GCC unroll 3
    for (int v = 0; v < vectors; ++v) part[v] = load(b + v * lanes);
#pragma GCC unroll 8
    for (int r = 0; r < rows; ++r) {
      const float value = by_row ? piece.a[r * stride + p] : piece.a[p * stride + r];
#pragma GCC unroll 3
      for (int v = 0; v < vectors; ++v) sum[r][v] += value * part[v];
    }
  }
#pragma GCC unroll 8
  for (int r = 0; r < rows; ++r) {
#pragma GCC unroll 3
    for (int v = 0; v < vectors; ++v) store(piece.c + r * piece.c_row + v * lanes, sum[r][v]);
  }
}

template <int rows, int vectors, bool by_row>
void tile_of(Index n_rows, const Piece& piece) {
  if (n_rows >= rows) return tile<rows, vectors, by_row>(piece);
  if constexpr (rows > 1) tile_of<rows - 1, vectors, by_row>(n_rows, piece);
}

void copy_rows(const float* from, Index from_row, float* to, Index to_row, Index m, Index n) {
  for (Index i = 0; i < m; ++i)
    for (Index j = 0; j < n; ++j) to[i * to_row + j] = from[i * from_row + j];
}

// Where c has fewer columns than the vectors: through a tile beside it.
template <int vectors, bool by_row>
void tile_at_edge(Index n_rows, const Piece& piece) {
  float beside[tile_rows * panel] = {};
  const Index rows = n_rows < tile_rows ? n_rows : tile_rows;
  if (piece.start == nullptr) copy_rows(piece.c, piece.c_row, beside, panel, rows, piece.n);
  Piece aside = piece;
  aside.c = beside;
  aside.c_row = panel;
  tile_of<tile_rows, vectors, by_row>(n_rows, aside);
  copy_rows(beside, panel, piece.c, piece.c_row, rows, piece.n);
}

template <int vectors, bool by_row>
void rows_of_tiles(Index m, Piece piece) {
  for (Index i = 0; i < m; i += tile_rows) {
    if (piece.n == vectors * lanes)
      tile_of<tile_rows, vectors, by_row>(m - i, piece);
    else
      tile_at_edge<vectors, by_row>(m - i, piece);
    piece.a += tile_rows * (by_row ? piece.a_stride : 1);
    piece.c += tile_rows * piece.c_row;
  }
}

template <int vectors>
void rows_of_tiles(Index width, bool by_row, Index m, const Piece& piece) {
  if (width == vectors * lanes)
    by_row ? rows_of_tiles<vectors, true>(m, piece) : rows_of_tiles<vectors, false>(m, piece);
  if constexpr (vectors > 1) rows_of_tiles<vectors - 1>(width, by_row, m, piece);
}

// `start`: how the sums of a panel begin, from its first column on; null: with what c holds.
template <typename Start>
inline void for_panels(FloatView a, const float* packed, const Start& start, float* c, Index c_row, Index m,
                       Index n, Index k) {
  const bool by_row = a.column == 1;
  // Blocks of equal size: the sums run through all of k in order, wherever it is cut.
  const Index n_blocks = k > block_rows ? (k + block_rows - 1) / block_rows : 1;
  const Index block = k > 0 ? (k + n_blocks - 1) / n_blocks : 1;
  for (Index j = 0; j < n; j += panel) {
    const Index count = n - j < panel ? n - j : panel;
    const Index width = (count + lanes - 1) / lanes * lanes;
    const float* first = start(j, count);
    for (Index p = 0; p == 0 || p < k; p += block) {
      const Piece piece{a.data + p * a.column,
                        by_row ? a.row : a.column,
                        packed + j * k + p * width,
                        p == 0 ? first : nullptr,
                        c + j,
                        c_row,
                        count,
                        k - p < block ? k - p : block};
      rows_of_tiles<tile_vectors>(width, by_row, m, piece);
    }
  }
}

void multiply(FloatView a, const float* packed, const float* start, float* c, Index c_row, Index m, Index n,
              Index k) {
  float first[panel] = {};
  const auto copied = [&](Index j, Index count) {
    if (start != nullptr) copy_rows(start + j, 0, first, 0, 1, count);
    return first;
  };
  for_panels(a, packed, copied, c, c_row, m, n, k);
}

void multiply_add(FloatView a, const float* packed, float* c, Index c_row, Index m, Index n, Index k) {
  for_panels(
      a, packed, [](Index, Index) -> const float* { return nullptr; }, c, c_row, m, n, k);
}

void sum_rows(const float* packed, Index k, Index width, float* sums) {
  for (Index j = 0; j < width; j += lanes) {
    Floats sum{};
    for (Index p = 0; p < k; ++p) sum += load(packed + p * width + j);
    store(sums + j, sum);
  }
}

} // namespace

namespace LACUNA_INSTRUCTION_SET {

extern const DenseKernels dense_kernels;
const DenseKernels dense_kernels = {lanes,
                                    panel,
                                    pack,
                                    multiply,
                                    multiply_add,
                                    sum_rows,
                                    {relu, pull_back_relu},
                                    {tanh, pull_back_tanh},
                                    {sigmoid, pull_back_sigmoid},
                                    bernoulli,
                                    adam};

} // namespace LACUNA_INSTRUCTION_SET

} // namespace lacuna
