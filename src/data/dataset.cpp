#include "lacuna/data/dataset.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include <fmt/format.h>

#include "core/archive_checks.hpp"
#include "data/messages.hpp"
#include "data/whole_table.hpp"

namespace lacuna {

namespace {

void check_size(const char* what, std::size_t size, Index expected, const char* expected_what) {
  if (static_cast<Index>(size) != expected)
    fail_data({}, fmt::format("the data have {} {} but {} {}", size, what, expected, expected_what),
              "the numbers must agree");
}

Place in_row(Index i) {
  Place place;
  place.row = i + 1;
  return place;
}

/// A column without a name goes by its number, from 1.
Place in_feature(const std::vector<std::string>& names, Index j) {
  Place place;
  place.column = names.empty() ? std::to_string(j + 1) : names[static_cast<std::size_t>(j)];
  return place;
}

Place in_cell(const std::vector<std::string>& names, Index i, Index j) {
  Place place = in_feature(names, j);
  place.row = i + 1;
  return place;
}

std::string value_text(double value) {
  return fmt::format("{:g}", value);
}

/// A model file would not take it, which must not show only after the fit.
void check_sizes(const DatasetView& data) {
  if (data.n_features() > largest_saved_features)
    fail_value({}, fmt::format("{} features", data.n_features()),
               fmt::format("at most {}", largest_saved_features), "leave columns out");
  const auto check_names = [](const char* what, const std::vector<std::string>& names) {
    for (const std::string& name : names)
      if (name.size() > longest_saved_text)
        fail_value({}, fmt::format("a {} whose name {} has {} bytes", what, in_quotes(name), name.size()),
                   fmt::format("at most {}", longest_saved_text), "give it a shorter name");
  };
  check_names("feature", data.feature_names);
  check_names("class", data.class_names);
}

void check_features(const DatasetView& data) {
  for (Index i = 0; i < data.n_rows(); ++i) {
    const double* row = data.features.row(i);
    for (Index j = 0; j < data.n_features(); ++j) {
      if (std::abs(row[j]) <= largest_feature || std::isnan(row[j])) continue;
      const Place place = in_cell(data.feature_names, i, j);
      if (std::isfinite(row[j]))
        fail_value(place, value_text(row[j]), fmt::format("a feature within +-{:g}", largest_feature),
                   "rescale the column");
      fail_value(place, value_text(row[j]), "a finite feature, or NaN where it is missing");
    }
  }
}

void check_levels(const DatasetView& data) {
  if (data.levels.empty()) return;
  check_size("numbers of levels", data.levels.size(), data.n_features(), "columns");
  for (Index j = 0; j < data.n_features(); ++j) {
    const Index n = data.levels[static_cast<std::size_t>(j)];
    if (n < 0)
      fail_value(in_feature(data.feature_names, j), fmt::format("{} levels", n), "0 for numbers, or more");
    if (n == 0) continue;
    for (Index i = 0; i < data.n_rows(); ++i) {
      const double value = data.features(i, j);
      if (std::isnan(value) || (value >= 0.0 && value < static_cast<double>(n) && value == std::floor(value)))
        continue;
      fail_value(in_cell(data.feature_names, i, j), value_text(value),
                 fmt::format("a category, a whole number from 0 to {}, or NaN where it is missing", n - 1));
    }
  }
}

void check_labels(const DatasetView& data) {
  for (std::size_t i = 0; i < data.labels.size(); ++i) {
    const int label = data.labels[i];
    if (label != missing_label && (label < 0 || label >= data.n_classes()))
      fail_data(in_row(static_cast<Index>(i)),
                fmt::format("the label is class number {}, but there are {} classes, numbered from 0; {} "
                            "means missing",
                            label, data.n_classes(), missing_label));
  }
  std::set<std::string> seen;
  for (const std::string& name : data.class_names)
    if (!seen.insert(name).second)
      fail_data({}, fmt::format("the class '{}' is named twice", name), "class names must differ");
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
      fail_data(in_feature(data.feature_names, static_cast<Index>(j)),
                fmt::format("its values differ by at most {:g}, which is too little to compute with; they "
                            "must differ by {:g} or more, or not at all",
                            spread, smallest_spread),
                "rescale the column, or leave it out");
  }
}

void check_weights(const DatasetView& data) {
  for (std::size_t i = 0; i < data.weights.size(); ++i) check_weight(data.weights[i], static_cast<Index>(i));
}

} // namespace

void check_weight(double weight, Index row) {
  if (!(weight >= 0.0) || !std::isfinite(weight))
    fail_value(in_row(row), "the weight " + value_text(weight), "a finite one that is not negative");
  if (weight > largest_weight)
    fail_value(in_row(row), "the weight " + value_text(weight),
               fmt::format("at most {:g}: a weight counts rows", largest_weight),
               "divide all weights by the same number");
}

Index DatasetView::number(Index row) const {
  return whole == nullptr ? row : whole->number(row);
}

void check_dataset(const DatasetView& data) {
  if (!data.labels.empty()) check_size("labels", data.labels.size(), data.n_rows(), "rows");
  if (!data.weights.empty()) check_size("weights", data.weights.size(), data.n_rows(), "rows");
  if (!data.feature_names.empty())
    check_size("feature names", data.feature_names.size(), data.n_features(), "columns");
  check_sizes(data);
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
        fail_data(in_cell(names, first_row + i, j),
                  fmt::format("the value is missing, but {} needs complete rows", user),
                  "fill it in, leave the column or the row out, or use the mixture vb-gmm on the columns as "
                  "they are, which takes gaps");
}

} // namespace lacuna
