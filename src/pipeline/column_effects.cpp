#include "pipeline/column_effects.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "core/index.hpp"
#include "pipeline/mapped_rows.hpp"

namespace lacuna {

namespace {

constexpr double missing = std::numeric_limits<double>::quiet_NaN();

/// A column as places in a row.
struct Slot {
  std::string name;
  std::string value;
  Index first = 0;
  Index n = 1;
};

bool is_missing(const double* row, const Slot& slot) {
  return std::all_of(row + slot.first, row + slot.first + slot.n,
                     [](double value) { return std::isnan(value); });
}

std::vector<Slot> slots_of_columns(const TableSchema& schema, const double* row) {
  std::vector<Slot> slots;
  Index first = 0;
  for (const TableColumn& column : schema.columns) {
    slots.push_back({column.name, cell_text(column, row + first), first, n_features_of(column)});
    first += slots.back().n;
  }
  return slots;
}

std::vector<Slot> slots_of_features(const std::vector<std::string>& names, const double* row) {
  std::vector<Slot> slots;
  for (std::size_t j = 0; j < names.size(); ++j)
    slots.push_back({names[j], fmt::format("{:.7g}", row[j]), static_cast<Index>(j), 1});
  return slots;
}

/// Two rows per slot: without it, and without all others.
Matrix variants_of(const double* row, Index n_cols, std::span<const Slot> slots) {
  Matrix variants(2 * static_cast<Index>(slots.size()), n_cols);
  for (std::size_t s = 0; s < slots.size(); ++s) {
    const Slot& slot = slots[s];
    double* const without = variants.row(2 * static_cast<Index>(s));
    double* const alone = without + n_cols;
    std::copy_n(row, n_cols, without);
    std::fill_n(without + slot.first, slot.n, missing);
    std::fill_n(alone, n_cols, missing);
    std::copy_n(row + slot.first, slot.n, alone + slot.first);
  }
  return variants;
}

} // namespace

Index n_features_of(const TableColumn& column) {
  return column.is_categorical && !column.is_coded ? static_cast<Index>(column.categories.size()) : 1;
}

std::string cell_text(const TableColumn& column, const double* features) {
  if (std::isnan(features[0])) return "missing";
  if (!column.is_categorical) return fmt::format("{:.7g}", features[0]);
  if (column.is_coded) return column.categories.at(static_cast<std::size_t>(features[0]));
  for (std::size_t c = 0; c < column.categories.size(); ++c)
    if (features[c] != 0.0) return column.categories[c];
  return "unknown";
}

void tell_columns(const Model& model, const double* row, Explanation& found) {
  if (!model.classifier.handles_missing_values() || !std::isfinite(found.anatomy.log_ratio)) return;
  found.effects = model.classifier.is_region_by_classifier() ? EffectKind::gap : EffectKind::marginal;
  const MatrixView columns{row, 1, model.schema.n_features()};
  const ApplyOptions how{.first_row = found.row, .threads = 1};
  // Maps that mix columns cannot do without one; then it is what they made that is left out.
  found.are_columns_mapped = !model.handles_missing_values();
  const MappedRows mapped(model, columns, how);
  const MatrixView seen = found.are_columns_mapped ? mapped.features() : columns;
  std::vector<Slot> slots = found.are_columns_mapped
                                ? slots_of_features(model.record.model_features, seen.row(0))
                                : slots_of_columns(model.schema, row);
  std::erase_if(slots, [&](const Slot& slot) { return is_missing(seen.row(0), slot); });
  constexpr std::size_t most_slots = 64; // at a time: a table may have very many columns
  for (std::size_t first = 0; first < slots.size(); first += most_slots) {
    const std::span<const Slot> some =
        std::span(slots).subspan(first, std::min(most_slots, slots.size() - first));
    const Matrix variants = variants_of(seen.row(0), seen.n_cols, some);
    std::vector<Anatomy> answers;
    if (found.are_columns_mapped)
      answers = model.classifier.dissect(variants.view());
    else
      answers = model.classifier.dissect(MappedRows(model, variants.view(), how).features());
    for (std::size_t s = 0; s < some.size(); ++s) {
      const double without = answers[2 * s].log_ratio;
      found.columns.push_back({some[s].name, some[s].value, found.anatomy.log_ratio - without, without,
                               answers[2 * s + 1].log_ratio, answers[2 * s].strangeness});
    }
  }
  std::ranges::stable_sort(found.columns, std::ranges::greater{},
                           [](const ColumnEffect& column) { return std::abs(column.push); });
}

} // namespace lacuna
