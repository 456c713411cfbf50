#pragma once

#include <vector>

#include "core/aligned.hpp"
#include "features/network/dense.hpp"

namespace lacuna {

/// Numbers that Adam moves, with its running means.
struct Learned {
  explicit Learned(Index n)
      : values(static_cast<std::size_t>(n)), first(values.size()), second(values.size()) {}

  AlignedFloats values;
  AlignedFloats first;
  AlignedFloats second;
};

/// Which of the three; all of a kind for all layers lie in one flat array outside.
using LearnedPart = AlignedFloats Learned::*;

/// A matrix of weights that outputs = inputs x matrix wants, packed as that product reads it. The product
/// that makes its gradient leaves that in the same form, and Adam does not care. Only the way back needs the
/// matrix transposed, packed anew behind every step.
class PackedWeights {
public:
  /// Number (i, j) stands in flat arrays at row_places[i] + column_places[j].
  PackedWeights(const DenseKernels& kernels, std::vector<Index> row_places, std::vector<Index> column_places,
                bool needs_transposed);

  Index n_rows() const { return static_cast<Index>(row_places_.size()); }
  Index n_columns() const { return static_cast<Index>(column_places_.size()); }
  const float* matrix() const { return learned_.values.data(); }
  const float* transposed() const { return transposed_.data(); }
  bool has_transposed() const { return !transposed_.empty(); }

  void set(const std::vector<float>& flat, LearnedPart part);
  void get(std::vector<float>& flat, LearnedPart part) const;
  /// Behind `set`.
  void pack_transposed();

  /// Some rows of one panel of columns: small enough to share out evenly, large enough to be worth it.
  struct Piece {
    Index first_column;
    Index n_columns;
    Index width; ///< of the panel
    Index first_row;
    Index n_rows;
  };
  std::vector<Piece> pieces() const;
  Index largest_piece() const;
  /// Where a piece begins in the packed form.
  Index place_of(const Piece& piece) const {
    return piece.first_column * n_rows() + piece.first_row * piece.width;
  }
  /// Adam's step; the gradient has n_rows x width numbers.
  void learn(const Piece& piece, const float* gradient, const AdamStep& step);

private:
  Index rows_per_piece() const;
  void pack_transposed(const Piece& piece);

  const DenseKernels& kernels_;
  std::vector<Index> row_places_;
  std::vector<Index> column_places_;
  Learned learned_;
  AlignedFloats transposed_;
};

} // namespace lacuna
