#pragma once

#include <optional>
#include <string>
#include <vector>

#include "lacuna/core/matrix.hpp"

namespace lacuna {

/// Rows in a temporary file that has no name: nobody else can change it, and it is gone when the process is,
/// however that ends. It lies in the folder that TMPDIR names, else in /var/tmp. Rows are added first and
/// read then, from several threads if need be.
class RowSpool {
public:
  /// Throws Error(cannot_write) when the folder has no room for so many rows.
  RowSpool(Index n_rows, Index n_columns);
  ~RowSpool();
  RowSpool(const RowSpool&) = delete;
  RowSpool& operator=(const RowSpool&) = delete;

  /// Throws Error(cannot_write): the disk is full.
  void add(const double* row);
  /// No more rows follow.
  void finish();

  Index n_rows() const { return n_rows_; }
  Index n_columns() const { return n_columns_; }
  /// The first row that lacks a value.
  std::optional<Index> first_gap() const { return first_gap_; }
  /// `into` becomes `n` rows, from number `first` on.
  void read(Index first, Index n, Matrix& into) const;

private:
  void flush();

  int descriptor_ = -1;
  std::string folder_;
  Index n_columns_;
  Index n_rows_ = 0;
  std::optional<Index> first_gap_;
  std::vector<double> buffer_; ///< rows that are not in the file yet
};

} // namespace lacuna
