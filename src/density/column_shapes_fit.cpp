#include <algorithm>
#include <cmath>
#include <utility>

#include "core/index.hpp"
#include "core/parallel.hpp"
#include "density/column_shapes.hpp"
#include "density/tail_scale.hpp"

// The rules and their reasons are in docs/math/columns.md.

namespace lacuna {

namespace {

/// Fewer numbers, by weight, tell no shape.
constexpr double least_numbers = 50.0;
/// A column that takes no more values, beside its most frequent one, is not continuous.
constexpr std::size_t few_values = 10;
/// A spike holds at least this share of the cells, and is so many times as frequent as any other value.
constexpr double least_spike = 0.1;
constexpr double spike_to_next = 3.0;
/// Each may double the patterns of gaps, which a mixture pays for one by one.
constexpr std::size_t most_spikes = 3;
/// A pattern costs a component the cube of the columns, a row their square: with so many rows for each
/// pattern and column the patterns are the smaller part.
constexpr double rows_per_pattern_and_column = 8.0;
/// A value with a larger share is no part of a tail, and is not judged with it.
constexpr double largest_tie = 0.05;
constexpr std::size_t n_points = 400;
/// A column with no more categories stays as it is.
constexpr Index few_levels = 10;
/// A category is rare below this share of the rows, and below this weight.
constexpr double rare_share = 0.01;
constexpr double rare_weight = 10.0;

/// A value of a column and the weight of the rows that have it.
struct WeightedValue {
  double value;
  double weight;
};

/// The values that rows of positive weight have, increasing. Sorted by weight among equals, so that the sums
/// do not depend on the order of the rows.
std::vector<WeightedValue> values_of(const WeightedRows& rows, Index column, int threads) {
  std::vector<WeightedValue> cells;
  for (Index i = 0; i < rows.size(); ++i) {
    const double value = rows.row(i)[column]; // read once: it may lie in memory that somebody changes
    if (rows.weight(i) > 0.0 && !std::isnan(value)) cells.push_back({value, rows.weight(i)});
  }
  parallel_sort(cells, threads, [](const WeightedValue& a, const WeightedValue& b) {
    return a.value != b.value ? a.value < b.value : a.weight < b.weight;
  });
  std::size_t n = 0;
  for (const WeightedValue& cell : cells) {
    if (n > 0 && cells[n - 1].value == cell.value)
      cells[n - 1].weight += cell.weight;
    else
      cells[n++] = cell;
  }
  cells.resize(n);
  return cells;
}

double total_of(const std::vector<WeightedValue>& values) {
  double total = 0.0;
  for (const WeightedValue& value : values) total += value.weight;
  return total;
}

/// A spike among the values, and its share of the cells.
struct Spike {
  double value;
  double share;
};

std::optional<Spike> find_spike(const std::vector<WeightedValue>& values) {
  if (values.size() <= few_values + 1) return std::nullopt;
  const auto by_weight = [](const WeightedValue& a, const WeightedValue& b) { return a.weight < b.weight; };
  const auto largest = std::max_element(values.begin(), values.end(), by_weight);
  double next = 0.0;
  for (auto it = values.begin(); it != values.end(); ++it)
    if (it != largest) next = std::max(next, it->weight);
  const double total = total_of(values);
  const bool stands_out = largest->weight >= least_spike * total && largest->weight >= spike_to_next * next;
  if (!stands_out || total - largest->weight < least_numbers) return std::nullopt;
  return Spike{largest->value, largest->weight / total};
}

/// Values at equal steps of the cumulative weight.
std::vector<double> quantiles(const std::vector<WeightedValue>& values) {
  const double total = total_of(values);
  std::vector<double> points;
  auto it = values.begin();
  double below = 0.0;
  for (std::size_t i = 0; i < n_points; ++i) {
    const double wanted = (static_cast<double>(i) + 0.5) / static_cast<double>(n_points) * total;
    while (it + 1 != values.end() && below + it->weight < wanted) below += (it++)->weight;
    points.push_back(it->value);
  }
  return points;
}

std::optional<TailScale> find_scale(const std::vector<WeightedValue>& values) {
  const double total = total_of(values);
  std::vector<WeightedValue> judged;
  for (const WeightedValue& value : values)
    if (value.weight <= largest_tie * total) judged.push_back(value);
  if (judged.size() <= few_values || total_of(judged) < std::max(least_numbers, 0.5 * total))
    return std::nullopt;
  const std::vector<double> points = quantiles(judged);
  return choose_tail_scale(points, judged.front().value, points[n_points / 2], judged.back().value);
}

/// What a column of numbers might become.
struct NumberFinding {
  std::optional<Spike> spike;
  std::optional<TailScale> with_spike; ///< the scale when the spike is told apart
  std::optional<TailScale> as_it_is;   ///< when it is not, or there is none
};

NumberFinding examine(std::vector<WeightedValue> values, bool may_lack_numbers) {
  NumberFinding found;
  found.as_it_is = find_scale(values);
  if (may_lack_numbers) found.spike = find_spike(values);
  if (!found.spike) return found;
  std::erase_if(values, [&](const WeightedValue& value) { return value.value == found.spike->value; });
  found.with_spike = find_scale(values);
  return found;
}

/// Joins the rare categories of a column with many: the first seen category stands for them.
void join_rare_levels(const std::vector<WeightedValue>& values, ColumnShape& column) {
  if (column.n_levels <= few_levels) return;
  std::vector<double> weight(at(column.n_levels));
  for (const WeightedValue& value : values)
    if (value.value >= 0.0 && value.value < static_cast<double>(column.n_levels))
      weight[static_cast<std::size_t>(value.value)] = value.weight;
  const double least = std::max(rare_share * total_of(values), rare_weight);
  const auto most = static_cast<std::size_t>(std::max_element(weight.begin(), weight.end()) - weight.begin());
  const auto is_rare = [&](std::size_t l) { return weight[l] < least && l != most; };
  double n_rare = 0.0;
  double rare_total = 0.0;
  for (std::size_t l = 0; l < weight.size(); ++l) {
    if (!is_rare(l)) continue;
    n_rare += 1.0;
    rare_total += weight[l];
  }
  if (n_rare < 2.0) return;
  Index next = 1;
  for (std::size_t l = 0; l < weight.size(); ++l) {
    column.joined.push_back(is_rare(l) ? 0 : next++);
    // One row more of each: what no row has keeps a share.
    column.log_part.push_back(is_rare(l) ? std::log((weight[l] + 1.0) / (rare_total + n_rare)) : 0.0);
  }
}

/// How many spikes the rows can pay for.
std::size_t affordable_spikes(double n_rows, Index n_columns) {
  const double patterns = n_rows / (rows_per_pattern_and_column * static_cast<double>(n_columns));
  std::size_t n = 0;
  while (n < most_spikes && std::exp2(static_cast<double>(n + 1)) <= patterns) ++n;
  return n;
}

/// The strongest spikes; of equal ones the first.
std::vector<Index> strongest_spikes(const std::vector<NumberFinding>& found, std::size_t most) {
  std::vector<Index> columns;
  for (std::size_t j = 0; j < found.size(); ++j)
    if (found[j].spike) columns.push_back(static_cast<Index>(j));
  std::stable_sort(columns.begin(), columns.end(),
                   [&](Index a, Index b) { return found[at(a)].spike->share > found[at(b)].spike->share; });
  columns.resize(std::min(columns.size(), most));
  return columns;
}

} // namespace

std::shared_ptr<const ColumnShapes> fit_column_shapes(const WeightedRows& rows, std::span<const Index> levels,
                                                      bool may_lack_numbers, int threads) {
  std::vector<ColumnShape> columns(at(rows.n_features()));
  std::vector<NumberFinding> found(columns.size());
  parallel_for(rows.n_features(), threads, [&](Index j) {
    std::vector<WeightedValue> values = values_of(rows, j, threads);
    columns[at(j)].n_levels = levels.empty() ? 0 : levels[at(j)];
    if (columns[at(j)].n_levels > 0)
      join_rare_levels(values, columns[at(j)]);
    else
      found[at(j)] = examine(std::move(values), may_lack_numbers);
  });
  double total = 0.0;
  for (Index i = 0; i < rows.size(); ++i) total += rows.weight(i);
  const std::size_t most = affordable_spikes(total, rows.n_features());
  for (const Index j : strongest_spikes(found, most)) columns[at(j)].spike = found[at(j)].spike->value;
  for (std::size_t j = 0; j < columns.size(); ++j) {
    const std::optional<TailScale>& scale = columns[j].spike ? found[j].with_spike : found[j].as_it_is;
    if (!scale) continue;
    columns[j].anchor = scale->anchor;
    columns[j].scale = scale->scale;
  }
  if (std::all_of(columns.begin(), columns.end(), [](const ColumnShape& c) { return c.is_plain(); }))
    return nullptr;
  return std::make_shared<const ColumnShapes>(std::move(columns));
}

} // namespace lacuna
