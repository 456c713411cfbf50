#include "features/network/packed_weights.hpp"

#include <algorithm>

namespace lacuna {

namespace {

std::size_t size(Index n) {
  return static_cast<std::size_t>(n);
}

} // namespace

PackedWeights::PackedWeights(const DenseKernels& kernels, std::vector<Index> row_places,
                             std::vector<Index> column_places, bool needs_transposed)
    : kernels_(kernels), row_places_(std::move(row_places)), column_places_(std::move(column_places)),
      learned_(kernels.packed_size(n_rows(), n_columns())),
      transposed_(needs_transposed ? size(kernels.packed_size(n_columns(), n_rows())) : 0) {}

void PackedWeights::set(const std::vector<float>& flat, LearnedPart part) {
  for (const Piece& piece : pieces()) {
    float* to = (learned_.*part).data() + place_of(piece);
    for (Index i = 0; i < piece.n_rows; ++i)
      for (Index j = 0; j < piece.n_columns; ++j)
        to[i * piece.width + j] =
            flat[size(row_places_[size(piece.first_row + i)] + column_places_[size(piece.first_column + j)])];
  }
}

void PackedWeights::get(std::vector<float>& flat, LearnedPart part) const {
  for (const Piece& piece : pieces()) {
    const float* from = (learned_.*part).data() + place_of(piece);
    for (Index i = 0; i < piece.n_rows; ++i)
      for (Index j = 0; j < piece.n_columns; ++j)
        flat[size(row_places_[size(piece.first_row + i)] + column_places_[size(piece.first_column + j)])] =
            from[i * piece.width + j];
  }
}

void PackedWeights::pack_transposed() {
  if (!has_transposed()) return;
  for (const Piece& piece : pieces()) pack_transposed(piece);
}

// A piece holds whole panels of the transposed matrix, save the last, some rows of each.
void PackedWeights::pack_transposed(const Piece& piece) {
  const float* from = learned_.values.data() + place_of(piece);
  for (Index i = 0; i < piece.n_rows; i += kernels_.panel) {
    const Index row = piece.first_row + i;
    kernels_.pack(
        {from + i * piece.width, 1, piece.width}, piece.n_columns, std::min(kernels_.panel, piece.n_rows - i),
        transposed_.data() + row * n_columns() + piece.first_column * kernels_.width(row, n_rows()));
  }
}

// About 400. Whoever makes the gradient packs something for every piece: with so many rows that is a
// hundredth of the work.
Index PackedWeights::rows_per_piece() const {
  const Index n_cuts = std::max<Index>(1, (n_rows() + 200) / 400);
  const Index n_panels = (n_rows() + kernels_.panel - 1) / kernels_.panel;
  return (n_panels + n_cuts - 1) / n_cuts * kernels_.panel;
}

std::vector<PackedWeights::Piece> PackedWeights::pieces() const {
  std::vector<Piece> pieces;
  const Index rows = rows_per_piece();
  for (Index column = 0; column < n_columns(); column += kernels_.panel)
    for (Index row = 0; row < n_rows(); row += rows)
      pieces.push_back({column, std::min(kernels_.panel, n_columns() - column),
                        kernels_.width(column, n_columns()), row, std::min(rows, n_rows() - row)});
  return pieces;
}

Index PackedWeights::largest_piece() const {
  return std::min(rows_per_piece(), n_rows()) * kernels_.panel;
}

void PackedWeights::learn(const Piece& piece, const float* gradient, const AdamStep& step) {
  const std::size_t at = size(place_of(piece));
  kernels_.adam(step, gradient, &learned_.values[at], &learned_.first[at], &learned_.second[at],
                piece.n_rows * piece.width);
  if (has_transposed()) pack_transposed(piece);
}

} // namespace lacuna
