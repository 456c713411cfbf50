#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "data/row_pass.hpp"
#include "data/row_spool.hpp"
#include "lacuna/core/observer.hpp"
#include "lacuna/data/dataset.hpp"

namespace LACUNA_API lacuna {

/// A table of which a Dataset has some rows only: all that have a label, and of the others those that draws
/// took (large_table.hpp). Here all of them pass by, wherever they lie. Immutable, and safe to use from
/// several threads. Every row has weight one.
class WholeTable {
public:
  virtual ~WholeTable() = default;

  Index n_rows() const { return n_rows_; }
  Index n_unlabeled() const { return n_rows() - static_cast<Index>(labeled_->size()); }
  Index n_kept_unlabeled() const { return static_cast<Index>(kept_->size() - labeled_->size()); }
  /// The number in the table of a row that was kept.
  Index number(Index kept_row) const { return (*kept_)[static_cast<std::size_t>(kept_row)]; }

  /// All rows pass by once.
  virtual void show(RowPass& pass, int threads, const Observer& observer) const = 0;
  /// Throws as require_complete does, for the first row of the table that lacks a value.
  virtual void require_complete(const std::vector<std::string>& names, const std::string& user) const = 0;

protected:
  /// `kept` and `labeled` are numbers of rows, from 0, rising.
  WholeTable(Index n_rows, std::vector<Index> kept, std::vector<Index> labeled)
      : n_rows_(n_rows), kept_(std::make_shared<const std::vector<Index>>(std::move(kept))),
        labeled_(std::make_shared<const std::vector<Index>>(std::move(labeled))) {}
  WholeTable(const WholeTable&) = default;
  const std::vector<Index>& labeled() const { return *labeled_; }

private:
  Index n_rows_;
  std::shared_ptr<const std::vector<Index>> kept_;
  std::shared_ptr<const std::vector<Index>> labeled_;
};

/// All its rows lie in a temporary file.
class SpooledTable : public WholeTable {
public:
  SpooledTable(std::shared_ptr<const RowSpool> rows, std::vector<Index> kept, std::vector<Index> labeled);

  void show(RowPass& pass, int threads, const Observer& observer) const override;
  void require_complete(const std::vector<std::string>& names, const std::string& user) const override;

private:
  std::shared_ptr<const RowSpool> rows_;
};

/// Rows pass by in blocks of this many.
Index passing_block_rows(Index n_columns);

/// All rows of the table pass by in their order: those in memory at once, those of a larger table wherever
/// they are.
void show_all(const DatasetView& data, RowPass& pass, int threads, const Observer& observer);

/// Of all rows of the table, not of those in memory alone.
void require_complete(const DatasetView& data, const std::vector<std::string>& names,
                      const std::string& user);

} // namespace lacuna
