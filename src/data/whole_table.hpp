#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "data/row_spool.hpp"
#include "lacuna/core/observer.hpp"
#include "lacuna/data/dataset.hpp"

namespace LACUNA_API lacuna {

/// A table of which a Dataset has some rows only: all that have a label, and of the others those that draws
/// took (large_table.hpp). Here all of them pass by. Immutable, and safe to use from several threads. Every
/// row has weight one.
class WholeTable {
public:
  /// `kept` and `labeled` are numbers of rows, from 0, rising.
  WholeTable(std::shared_ptr<const RowSpool> rows, std::vector<Index> kept, std::vector<Index> labeled);

  /// Makes features of the columns of some rows; `first_row` is the number of the first.
  using Map = std::function<Matrix(MatrixView rows, Index first_row)>;
  /// The same table as a map leaves its rows.
  std::shared_ptr<const WholeTable> mapped(Map map) const;

  Index n_rows() const { return rows_->n_rows(); }
  Index n_unlabeled() const { return n_rows() - static_cast<Index>(labeled_->size()); }
  Index n_kept_unlabeled() const { return static_cast<Index>(kept_->size() - labeled_->size()); }
  /// The number in the table of a row that was kept.
  Index number(Index kept_row) const { return (*kept_)[static_cast<std::size_t>(kept_row)]; }
  bool is_labeled(Index number) const { return !labeled_among(number, 1).empty(); }
  /// Numbers of the labeled ones among `n` rows, from number `first` on.
  std::span<const Index> labeled_among(Index first, Index n) const;

  /// Rows pass by in blocks of this many, which depends on the columns of the table alone.
  Index rows_per_block() const;
  /// `into` becomes `n` rows, from number `first` on.
  void read(Index first, Index n, Matrix& into) const;
  /// Throws as require_complete does, for the first row of the table that lacks a value.
  void require_complete(const std::vector<std::string>& names, const std::string& user) const;

private:
  std::shared_ptr<const RowSpool> rows_;
  std::shared_ptr<const std::vector<Index>> kept_;
  std::shared_ptr<const std::vector<Index>> labeled_;
  Map map_;
};

/// Some rows of a table, one after another.
struct PassingRows {
  Index first = 0; ///< number of the first in the table
  MatrixView rows;
  std::span<const double> weights; ///< empty: all one
};

/// All rows of the table in their order: those in memory at once, or block by block those of a larger table.
void for_each_block(const DatasetView& data, const Observer& observer,
                    const std::function<void(const PassingRows& block)>& visit);

/// Of all rows of the table, not of those in memory alone.
void require_complete(const DatasetView& data, const std::vector<std::string>& names,
                      const std::string& user);

} // namespace lacuna
