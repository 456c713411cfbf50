#pragma once

#include <bitset>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "data/table_source.hpp"
#include "data/text_map.hpp"

namespace lacuna {

/// What one feature column holds, learnt by looking at every cell once.
class ColumnProfile {
public:
  /// The first cell of its kind that cannot be a feature value.
  struct BadCell {
    NumberKind kind;
    Place place;
    std::string value;
  };

  /// `skips_missing`: a missing cell is no category.
  ColumnProfile(std::size_t column, bool is_declared_categorical, bool is_numeric_table, bool skips_missing);

  /// Looks at the current row's cell.
  void add(const TableSource& table);

  std::size_t column() const { return column_; }
  /// Declared so, or most of its cells that hold anything are text.
  bool is_categorical() const { return is_declared_categorical_ || n_text_ > n_numbers_; }
  bool is_empty() const { return n_text_ == 0 && n_numbers_ == 0; }
  /// The same value in every row that has one.
  bool is_constant() const;
  bool has_too_many_categories() const { return has_too_many_categories_; }
  /// Sorted; meaningful only for a categorical column without too many of them.
  std::vector<std::string> categories() const;
  Index n_missing() const { return n_missing_; }
  Index n_bad() const { return n_bad_; }
  /// It is taken for categories, and all of them are dates.
  bool holds_dates() const;
  /// The bad cell to tell the user about; nullptr when there is none. Text comes first: it says most about
  /// what went wrong.
  const BadCell* worst_cell() const;
  /// Where a category stands that is not UTF-8; nothing when all are.
  const std::optional<Place>& foreign_text_place() const { return foreign_text_place_; }

private:
  bool are_all_dates() const;
  void note_bad(NumberKind kind, const TableSource& table);
  void note_category(const TableSource& table);

  std::size_t column_;
  bool is_declared_categorical_;
  bool skips_missing_;
  bool has_too_many_categories_ = false;
  bool were_all_dates_ = false; ///< before there were too many
  Index n_numbers_ = 0;
  Index n_text_ = 0;
  Index n_missing_ = 0;
  Index n_bad_ = 0;
  double smallest_ = std::numeric_limits<double>::infinity();
  double largest_ = -std::numeric_limits<double>::infinity();
  std::unique_ptr<TextSet> categories_; ///< null when they are not collected
  std::bitset<256> seen_bytes_;         ///< categories of one byte among them
  std::vector<BadCell> bad_cells_;
  std::optional<Place> foreign_text_place_;
};

} // namespace lacuna
