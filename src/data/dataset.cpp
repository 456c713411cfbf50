#include "lacuna/data/dataset.hpp"

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

void check_weights(const DatasetView& data) {
  for (std::size_t i = 0; i < data.weights.size(); ++i)
    if (!(data.weights[i] >= 0.0) || !std::isfinite(data.weights[i]))
      fail("row {}: the weight is {:g}; weights must be finite and not negative", i + 1, data.weights[i]);
}

} // namespace

void check_dataset(const DatasetView& data) {
  if (!data.labels.empty()) check_size("labels", data.labels.size(), data.n_rows(), "rows");
  if (!data.weights.empty()) check_size("weights", data.weights.size(), data.n_rows(), "rows");
  if (!data.feature_names.empty())
    check_size("feature names", data.feature_names.size(), data.n_features(), "columns");
  check_features(data);
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
