#include "pipeline/label_gaps.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include "core/index.hpp"
#include "data/whole_table.hpp"

namespace lacuna {

namespace {

constexpr int n_cuts = 8;
constexpr int most_levels = 12; ///< rarer categories are one part
/// A second column has to explain so much more, as a factor of the likelihood.
const double second_column_gain = std::log(1000.0);

} // namespace

LabelGaps::LabelGaps(const DatasetView& data, const std::vector<std::string>& names,
                     const TableSchema* schema, std::span<const Index> columns) {
  const double behind = data.whole == nullptr || data.whole->n_kept_unlabeled() == 0
                            ? 1.0
                            : static_cast<double>(data.whole->n_unlabeled()) /
                                  static_cast<double>(data.whole->n_kept_unlabeled());
  for (Index i = 0; i < data.n_rows(); ++i) {
    is_labeled_.push_back(data.is_labeled(i) ? 1 : 0);
    n_behind_.push_back(data.weight(i) == 0.0 ? 0.0 : data.is_labeled(i) ? 1.0 : behind);
    all_.rows += n_behind_.back();
    all_.labeled += data.is_labeled(i) ? n_behind_.back() : 0.0;
  }
  for (const Index feature : columns) {
    Column column;
    column.name = names[at(feature)];
    if (!data.levels.empty() && data.levels[at(feature)] > 0)
      name_levels(column, data, feature, schema);
    else
      cut(column, data.features, feature);
    columns_.push_back(std::move(column));
  }
}

void LabelGaps::cut(Column& column, MatrixView features, Index feature) const {
  std::vector<double> values;
  for (Index i = 0; i < features.n_rows; ++i)
    if (!std::isnan(features(i, feature))) values.push_back(features(i, feature));
  std::sort(values.begin(), values.end());
  for (std::size_t k = 1; k < n_cuts && !values.empty(); ++k) {
    const double value = values[k * values.size() / n_cuts];
    if (value < values.back() && (column.cuts.empty() || value > column.cuts.back()))
      column.cuts.push_back(value);
  }
  column.n_parts = static_cast<int>(column.cuts.size()) + 1;
  for (Index i = 0; i < features.n_rows; ++i) {
    const double value = features(i, feature);
    const auto found = std::lower_bound(column.cuts.begin(), column.cuts.end(), value);
    column.part.push_back(std::isnan(value) ? column.n_parts : static_cast<int>(found - column.cuts.begin()));
  }
}

void LabelGaps::name_levels(Column& column, const DatasetView& data, Index feature,
                            const TableSchema* schema) const {
  const std::size_t n_levels = at(data.levels[at(feature)]);
  std::vector<Index> counts(n_levels, 0);
  for (Index i = 0; i < data.n_rows(); ++i)
    if (const double value = data.features(i, feature); !std::isnan(value))
      ++counts[static_cast<std::size_t>(value)];
  std::vector<std::size_t> order(n_levels);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return counts[a] > counts[b]; });
  std::vector<int> part_of(n_levels, 0);
  for (std::size_t rank = 0; rank < n_levels; ++rank) {
    part_of[order[rank]] = std::min(static_cast<int>(rank), most_levels);
    if (rank > most_levels) continue;
    const bool is_named = schema != nullptr && order[rank] < schema->columns[at(feature)].categories.size();
    column.levels.push_back(rank == most_levels && n_levels > most_levels + 1 ? "another value"
                            : is_named ? "'" + schema->columns[at(feature)].categories[order[rank]] + "'"
                                       : std::to_string(order[rank]));
  }
  column.n_parts = static_cast<int>(column.levels.size());
  for (Index i = 0; i < data.n_rows(); ++i) {
    const double value = data.features(i, feature);
    column.part.push_back(std::isnan(value) ? column.n_parts : part_of[static_cast<std::size_t>(value)]);
  }
}

std::string LabelGaps::Column::words(int first, int last) const {
  if (first == n_parts) return "missing";
  if (!is_number()) return levels[static_cast<std::size_t>(first)];
  if (first == 0 && last == n_parts - 1) return "there";
  if (first == 0) return fmt::format("at most {:.4g}", cuts[static_cast<std::size_t>(last)]);
  const double low = cuts[static_cast<std::size_t>(first - 1)];
  if (last == n_parts - 1) return fmt::format("above {:.4g}", low);
  return fmt::format("between {:.4g} and {:.4g}", low, cuts[static_cast<std::size_t>(last)]);
}

std::vector<LabeledPart> LabelGaps::parts(std::size_t i) const {
  const Column& column = columns_[i];
  std::vector<Count> counts(static_cast<std::size_t>(column.n_parts) + 1);
  for (std::size_t row = 0; row < is_labeled_.size(); ++row) {
    Count& count = counts[static_cast<std::size_t>(column.part[row])];
    count.rows += n_behind_[row];
    count.labeled += is_labeled_[row] != 0 ? n_behind_[row] : 0.0;
  }
  std::vector<LabeledPart> parts;
  for (int k = 0; k <= column.n_parts; ++k)
    if (const Count& count = counts[static_cast<std::size_t>(k)]; count.rows > 0.0)
      parts.push_back({column.words(k, k), std::llround(count.rows), std::llround(count.labeled)});
  return parts;
}

/// Neighbouring parts of numbers together, categories one by one.
std::vector<LabelGaps::Range> LabelGaps::ranges(const Column& column) const {
  std::vector<Range> ranges;
  for (int first = 0; first < column.n_parts; ++first)
    for (int last = first; last < (column.is_number() ? column.n_parts : first + 1); ++last)
      if (last - first + 1 < column.n_parts) ranges.push_back({first, last});
  ranges.push_back({column.n_parts, column.n_parts});
  return ranges;
}

/// Binomial likelihood of two shares of labels, inside and outside, over that of one; 0 unless labels are
/// rarer inside.
double LabelGaps::gain(const Count& inside) const {
  const Count outside{all_.rows - inside.rows, all_.labeled - inside.labeled};
  if (!(inside.rows > 0.0 && outside.rows > 0.0)) return 0.0;
  if (inside.labeled / inside.rows >= all_.labeled / all_.rows) return 0.0;
  const auto log_likelihood = [](const Count& count) {
    const auto term = [&](double n) { return n > 0.0 ? n * std::log(n / count.rows) : 0.0; };
    return term(count.labeled) + term(count.rows - count.labeled);
  };
  return log_likelihood(inside) + log_likelihood(outside) - log_likelihood(all_);
}

void LabelGaps::search(std::size_t a, std::size_t b, Box& best) const {
  const Column& first = columns_[a];
  const Column& second = columns_[b];
  const std::size_t width = static_cast<std::size_t>(second.n_parts) + 1;
  std::vector<Count> cells((static_cast<std::size_t>(first.n_parts) + 1) * width);
  for (std::size_t row = 0; row < is_labeled_.size(); ++row) {
    Count& cell =
        cells[static_cast<std::size_t>(first.part[row]) * width + static_cast<std::size_t>(second.part[row])];
    cell.rows += n_behind_[row];
    cell.labeled += is_labeled_[row] != 0 ? n_behind_[row] : 0.0;
  }
  // One column: all of the other's parts, which are its own.
  const std::vector<Range> of_b = a == b ? std::vector<Range>{{0, second.n_parts}} : ranges(second);
  for (const Range& in_a : ranges(first)) {
    for (const Range& in_b : of_b) {
      Box box{a, b, in_a, in_b, {}, 0.0};
      for (int i = in_a.first; i <= in_a.last; ++i) {
        for (int k = in_b.first; k <= in_b.last; ++k) {
          const Count& cell = cells[static_cast<std::size_t>(i) * width + static_cast<std::size_t>(k)];
          box.count.rows += cell.rows;
          box.count.labeled += cell.labeled;
        }
      }
      box.gain = gain(box.count) - (a == b ? 0.0 : second_column_gain);
      if (box.gain > best.gain) best = box;
    }
  }
}

std::optional<LabeledPart> LabelGaps::find() const {
  Box best;
  for (std::size_t a = 0; a < columns_.size(); ++a)
    for (std::size_t b = a; b < columns_.size(); ++b) search(a, b, best);
  if (best.gain == 0.0) return std::nullopt;
  const auto words = [](const Column& column, const Range& range) {
    return column.name + " is " + column.words(range.first, range.last);
  };
  std::string where = words(columns_[best.a], best.of_a);
  if (best.b != best.a) where += " and " + words(columns_[best.b], best.of_b);
  return LabeledPart{where, std::llround(best.count.rows), std::llround(best.count.labeled)};
}

} // namespace lacuna
