#pragma once

#include <cassert>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "lacuna/core/version.hpp"

namespace LACUNA_API lacuna {

using Index = std::ptrdiff_t;

/// A borrowed row-major matrix: rows are observations, columns are features.
struct MatrixView {
  const double* data = nullptr;
  Index n_rows = 0;
  Index n_cols = 0;

  const double* row(Index i) const { return data + i * n_cols; }
  double operator()(Index i, Index j) const { return data[i * n_cols + j]; }
  /// The rows from `first` to `first + count`.
  MatrixView middle_rows(Index first, Index count) const { return {row(first), count, n_cols}; }
};

/// An owned row-major matrix. Deliberately small: linear algebra happens behind the library's doors.
class Matrix {
public:
  Matrix() = default;
  Matrix(Index n_rows, Index n_cols)
      : n_rows_(n_rows), n_cols_(n_cols), values_(static_cast<std::size_t>(n_rows * n_cols)) {}
  Matrix(Index n_rows, Index n_cols, std::vector<double> values)
      : n_rows_(n_rows), n_cols_(n_cols), values_(std::move(values)) {
    assert(static_cast<Index>(values_.size()) == n_rows * n_cols);
  }

  Index n_rows() const { return n_rows_; }
  Index n_cols() const { return n_cols_; }
  double* row(Index i) { return values_.data() + i * n_cols_; }
  const double* row(Index i) const { return values_.data() + i * n_cols_; }
  double& operator()(Index i, Index j) { return values_[static_cast<std::size_t>(i * n_cols_ + j)]; }
  double operator()(Index i, Index j) const { return values_[static_cast<std::size_t>(i * n_cols_ + j)]; }
  std::span<const double> values() const { return values_; }
  std::span<double> values() { return values_; }
  MatrixView view() const { return {values_.data(), n_rows_, n_cols_}; }

private:
  Index n_rows_ = 0;
  Index n_cols_ = 0;
  std::vector<double> values_;
};

/// Some rows of a matrix, each with a weight. Weight 2 means the row stands there twice.
/// Nothing is copied: the matrix, the row numbers and the weights are borrowed.
class WeightedRows {
public:
  /// Every row of `features`, with weight one where `weights` is empty.
  explicit WeightedRows(MatrixView features, std::span<const double> weights = {})
      : features_(features), weights_(weights), n_rows_(features.n_rows) {}
  /// The listed rows only; `weights[i]` belongs to `rows[i]`.
  WeightedRows(MatrixView features, std::span<const Index> rows, std::span<const double> weights)
      : features_(features), rows_(rows), weights_(weights), n_rows_(static_cast<Index>(rows.size())),
        listed_(true) {}

  Index size() const { return n_rows_; }
  Index n_features() const { return features_.n_cols; }
  MatrixView features() const { return features_; }
  /// Whether they are some rows of the matrix; otherwise they are all, in its order.
  bool is_listed() const { return listed_; }
  /// Which row of the matrix row i is.
  Index index(Index i) const { return listed_ ? rows_[static_cast<std::size_t>(i)] : i; }
  const double* row(Index i) const { return features_.row(index(i)); }
  double weight(Index i) const { return weights_.empty() ? 1.0 : weights_[static_cast<std::size_t>(i)]; }

private:
  MatrixView features_;
  std::span<const Index> rows_;
  std::span<const double> weights_;
  Index n_rows_ = 0;
  bool listed_ = false;
};

} // namespace lacuna
