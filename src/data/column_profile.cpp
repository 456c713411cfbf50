#include "data/column_profile.hpp"

#include <algorithm>

#include "data/dates.hpp"
#include "data/messages.hpp"

namespace lacuna {

ColumnProfile::ColumnProfile(std::size_t column, bool is_declared_categorical, bool is_numeric_table,
                             bool skips_missing)
    : column_(column), is_declared_categorical_(is_declared_categorical), skips_missing_(skips_missing) {
  // Whether a text column is categorical is known only at its end, so its categories are collected from the
  // start.
  if (is_declared_categorical || !is_numeric_table) categories_ = std::make_unique<TextSet>();
}

void ColumnProfile::add(const TableSource& table) {
  const Number number = table.number(column_);
  if (number.kind == NumberKind::finite) {
    smallest_ = std::min(smallest_, number.value);
    largest_ = std::max(largest_, number.value);
    ++n_numbers_;
  } else if (number.kind == NumberKind::missing) {
    ++n_missing_;
  } else {
    note_bad(number.kind, table);
  }
  if (categories_ && !(skips_missing_ && number.kind == NumberKind::missing)) note_category(table);
}

void ColumnProfile::note_bad(NumberKind kind, const TableSource& table) {
  ++n_bad_;
  if (kind == NumberKind::text) ++n_text_;
  if (kind != NumberKind::text) ++n_numbers_;
  if (std::ranges::any_of(bad_cells_, [&](const BadCell& cell) { return cell.kind == kind; })) return;
  bad_cells_.push_back({kind, cell_place(table, column_), std::string(table.text(column_))});
}

void ColumnProfile::note_category(const TableSource& table) {
  const std::string_view category = canonical_text(table.text(column_));
  if (category.size() == 1) { // codes of one letter come by the million: spare them the hash table
    const auto byte = static_cast<unsigned char>(category[0]);
    if (seen_bytes_[byte]) return;
    seen_bytes_[byte] = true;
  }
  if (categories_->contains(category)) return;
  if (categories_->size() == max_categories) {
    has_too_many_categories_ = true;
    were_all_dates_ = are_all_dates();
    categories_.reset();
    return;
  }
  if (!foreign_text_place_ && !is_valid_utf8(category)) foreign_text_place_ = cell_place(table, column_);
  categories_->emplace(category);
}

bool ColumnProfile::are_all_dates() const {
  bool has_date = false;
  for (const std::string& category : *categories_) {
    if (is_missing_token(category)) continue;
    if (!is_date(category)) return false;
    has_date = true;
  }
  return has_date;
}

bool ColumnProfile::holds_dates() const {
  if (is_declared_categorical_ || !is_categorical()) return false;
  return categories_ ? are_all_dates() : were_all_dates_;
}

bool ColumnProfile::is_constant() const {
  if (is_categorical()) return categories_ && categories_->size() == 1;
  return n_bad_ == 0 && smallest_ == largest_;
}

std::vector<std::string> ColumnProfile::categories() const {
  std::vector<std::string> sorted;
  if (categories_) sorted.assign(categories_->begin(), categories_->end());
  std::ranges::sort(sorted);
  return sorted;
}

const ColumnProfile::BadCell* ColumnProfile::worst_cell() const {
  const auto text =
      std::ranges::find_if(bad_cells_, [](const BadCell& cell) { return cell.kind == NumberKind::text; });
  if (text != bad_cells_.end()) return &*text;
  return bad_cells_.empty() ? nullptr : bad_cells_.data();
}

} // namespace lacuna
