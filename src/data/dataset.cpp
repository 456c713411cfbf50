#include "lacuna/data/dataset.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include <fmt/format.h>

#include "lacuna/core/errors.hpp"

namespace lacuna {

namespace {

template <typename... Values>
[[noreturn]] void fail(fmt::format_string<Values...> text, Values&&... values) {
  throw Error(ErrorKind::data, fmt::format(text, std::forward<Values>(values)...));
}

void check_size(const char* what, std::size_t size, Index expected, const char* expected_what) {
  if (static_cast<Index>(size) != expected)
    fail("the data have {} {} but {} {}; the numbers must agree", size, what, expected, expected_what);
}

std::string column_text(const std::vector<std::string>& names, Index j) {
  return names.empty() ? fmt::format("column {}", j + 1)
                       : fmt::format("column '{}'", names[static_cast<std::size_t>(j)]);
}

void check_features(const DatasetView& data) {
  for (Index i = 0; i < data.n_rows(); ++i) {
    const double* row = data.features.row(i);
    for (Index j = 0; j < data.n_features(); ++j) {
      if (std::abs(row[j]) <= largest_feature || std::isnan(row[j])) continue;
      const std::string column = column_text(data.feature_names, j);
      if (std::isfinite(row[j]))
        fail("row {}, {}: the value {:g} is too large; features must lie within +-{:g}; rescale the column",
             i + 1, column, row[j], largest_feature);
      fail("row {}, {}: the value is {:g}; a feature must be finite, or NaN where it is missing", i + 1,
           column, row[j]);
    }
  }
}

void check_levels(const DatasetView& data) {
  if (data.levels.empty()) return;
  check_size("numbers of levels", data.levels.size(), data.n_features(), "columns");
  for (Index j = 0; j < data.n_features(); ++j) {
    const Index n = data.levels[static_cast<std::size_t>(j)];
    if (n < 0)
      fail("{} has {} levels; expected 0 for numbers, or more", column_text(data.feature_names, j), n);
    if (n == 0) continue;
    for (Index i = 0; i < data.n_rows(); ++i) {
      const double value = data.features(i, j);
      if (std::isnan(value) || (value >= 0.0 && value < static_cast<double>(n) && value == std::floor(value)))
        continue;
      fail("row {}, {}: the value is {:g}; a category is a whole number from 0 to {}, or NaN where it is "
           "missing",
           i + 1, column_text(data.feature_names, j), value, n - 1);
    }
  }
}

void check_labels(const DatasetView& data) {
  for (std::size_t i = 0; i < data.labels.size(); ++i) {
    const int label = data.labels[i];
    if (label != missing_label && (label < 0 || label >= data.n_classes()))
      fail("row {}: the label is class number {}, but there are {} classes, numbered from 0; {} means "
           "missing",
           i + 1, label, data.n_classes(), missing_label);
  }
  std::set<std::string> seen;
  for (const std::string& name : data.class_names)
    if (!seen.insert(name).second) fail("the class '{}' is named twice; class names must differ", name);
}

/// Their variance would come out as zero, and the column would silently count for nothing.
void check_spreads(const DatasetView& data) {
  std::vector<double> least(static_cast<std::size_t>(data.n_features()), largest_feature);
  std::vector<double> most(least.size(), -largest_feature);
  for (Index i = 0; i < data.n_rows(); ++i)
    for (std::size_t j = 0; j < least.size(); ++j) {
      const double value = data.features(i, static_cast<Index>(j)); // NaN changes neither
      least[j] = std::min(least[j], value);
      most[j] = std::max(most[j], value);
    }
  for (std::size_t j = 0; j < least.size(); ++j) {
    const double spread = most[j] - least[j];
    if (spread > 0.0 && spread < smallest_spread)
      fail("{}: its values differ by at most {:g}, which is too little to compute with; they must differ by "
           "{:g} or more, or not at all; rescale the column, or leave it out",
           column_text(data.feature_names, static_cast<Index>(j)), spread, smallest_spread);
  }
}

void check_weights(const DatasetView& data) {
  for (std::size_t i = 0; i < data.weights.size(); ++i) check_weight(data.weights[i], static_cast<Index>(i));
}

} // namespace

void check_weight(double weight, Index row) {
  if (!(weight >= 0.0) || !std::isfinite(weight))
    fail("row {}: the weight is {:g}; weights must be finite and not negative", row + 1, weight);
  if (weight > largest_weight)
    fail("row {}: the weight {:g} is too large; a weight counts rows and must be at most {:g}; divide all "
         "weights by the same number",
         row + 1, weight, largest_weight);
}

void check_dataset(const DatasetView& data) {
  if (!data.labels.empty()) check_size("labels", data.labels.size(), data.n_rows(), "rows");
  if (!data.weights.empty()) check_size("weights", data.weights.size(), data.n_rows(), "rows");
  if (!data.feature_names.empty())
    check_size("feature names", data.feature_names.size(), data.n_features(), "columns");
  check_features(data);
  check_spreads(data);
  check_levels(data);
  check_labels(data);
  check_weights(data);
}

void require_complete(MatrixView features, const std::vector<std::string>& names, Index first_row,
                      const std::string& user) {
  for (Index i = 0; i < features.n_rows; ++i)
    for (Index j = 0; j < features.n_cols; ++j)
      if (std::isnan(features(i, j)))
        fail("row {}, {}: the value is missing, but {} needs complete rows; fill it in, leave the column or "
             "the row out, or use the mixture vb-gmm on the columns as they are, which takes gaps",
             first_row + i + 1, column_text(names, j), user);
}

} // namespace lacuna
