#include "pipeline/nearest_labeled.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/index.hpp"
#include "lacuna/data/dataset.hpp"
#include "math/moments.hpp"
#include "pipeline/column_effects.hpp"

namespace lacuna {

namespace {

constexpr std::size_t n_nearest = 5;
constexpr std::size_t n_differences = 3;

/// How far two rows are from each other in each column, in units of it, squared; NaN where one lacks it.
class ColumnDistances {
public:
  ColumnDistances(const TableSchema& schema, const RowMoments& moments)
      : schema_(schema), moments_(moments) {}

  std::vector<double> of(const double* a, const double* b) const {
    std::vector<double> squares;
    Index first = 0;
    for (const TableColumn& column : schema_.columns) {
      squares.push_back(of_column(column, first, a + first, b + first));
      first += n_features_of(column);
    }
    return squares;
  }

private:
  double of_column(const TableColumn& column, Index first, const double* a, const double* b) const {
    if (std::isnan(a[0]) || std::isnan(b[0])) return Anatomy::none;
    if (column.is_categorical) return std::equal(a, a + n_features_of(column), b) ? 0.0 : 1.0;
    const double scale = std::sqrt(moments_.variance[at(first)]);
    if (a[0] == b[0]) return 0.0;
    const double difference = (0.5 * a[0] - 0.5 * b[0]) / (0.5 * scale); // no column is one number alone
    return difference * difference;
  }

  const TableSchema& schema_;
  const RowMoments& moments_;
};

/// The root of the mean over the columns that both have; infinite where there is none.
double distance_of(const std::vector<double>& squares) {
  double sum = 0.0;
  double n = 0.0;
  for (const double square : squares) {
    if (std::isnan(square)) continue;
    sum += square;
    n += 1.0;
  }
  return n > 0.0 ? std::sqrt(sum / n) : std::numeric_limits<double>::infinity();
}

RowMoments moments_of(LabeledBlocks& blocks, Index n_features, Observer& observer) {
  RowMomentsSum sum(n_features);
  blocks.for_each([&](const LabeledBlock& block) { sum.add(WeightedRows(block.columns)); }, observer);
  return sum.result();
}

std::vector<std::pair<std::string, std::string>>
differences_of(const TableSchema& schema, const std::vector<double>& squares, const double* near) {
  std::vector<std::size_t> order;
  for (std::size_t j = 0; j < squares.size(); ++j)
    if (squares[j] > 0.0) order.push_back(j);
  std::ranges::stable_sort(order, std::ranges::greater{}, [&](std::size_t j) { return squares[j]; });
  order.resize(std::min(order.size(), n_differences));
  std::vector<Index> first{0};
  for (const TableColumn& column : schema.columns) first.push_back(first.back() + n_features_of(column));
  std::vector<std::pair<std::string, std::string>> differences;
  for (const std::size_t j : order)
    differences.emplace_back(schema.columns[j].name, cell_text(schema.columns[j], near + first[j]));
  return differences;
}

} // namespace

std::vector<NearRow> nearest_labeled(const Model& model, const double* row,
                                     const std::function<std::unique_ptr<LabeledBlocks>()>& training,
                                     Observer& observer) {
  const TableSchema& schema = model.schema;
  const RowMoments moments = moments_of(*training(), schema.n_features(), observer);
  const ColumnDistances distances(schema, moments);
  std::vector<NearRow> nearest;
  training()->for_each(
      [&](const LabeledBlock& block) {
        for (std::size_t i = 0; i < block.labels.size(); ++i) {
          if (block.labels[i] == missing_label) continue;
          const double* const other = block.columns.row(static_cast<Index>(i));
          const std::vector<double> squares = distances.of(row, other);
          const double distance = distance_of(squares);
          if (nearest.size() == n_nearest && !(distance < nearest.back().distance)) continue;
          if (nearest.size() == n_nearest) nearest.pop_back();
          const auto place = std::ranges::upper_bound(nearest, distance, {}, &NearRow::distance);
          nearest.insert(place,
                         {block.first_row + static_cast<Index>(i), model.class_names()[at(block.labels[i])],
                          distance, differences_of(schema, squares, other)});
        }
      },
      observer);
  return nearest;
}

} // namespace lacuna
