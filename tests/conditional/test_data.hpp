#pragma once

#include <cmath>
#include <limits>
#include <memory>
#include <vector>

#include "conditional/boosting.hpp"
#include "conditional/class_prior.hpp"
#include "conditional/forest.hpp"
#include "conditional/logistic.hpp"
#include "conditional/stack.hpp"
#include "lacuna/core/random.hpp"

namespace lacuna::testing {

inline constexpr double gap = std::numeric_limits<double>::quiet_NaN();

/// Columns as real tables have them: a number, one with a heavy tail, one with gaps, five categories, and
/// forty of which some are missing. Each says something about the class. Every second row has a label.
inline Dataset mixed_table(Index n, int n_classes, std::uint64_t seed) {
  Dataset data;
  data.features = Matrix(n, 5);
  data.feature_names = {"number", "tail", "gaps", "five", "forty"};
  data.levels = {0, 0, 0, 5, 40};
  for (int y = 0; y < n_classes; ++y) data.class_names.emplace_back(1, static_cast<char>('a' + y));
  RandomStream random(seed, RandomPurpose::simulation);
  for (Index i = 0; i < n; ++i) {
    double* row = data.features.row(i);
    const int y = static_cast<int>(random.uniform() * random.uniform() * n_classes); // unequal shares
    row[0] = y + random.normal();
    row[1] = std::exp(2.0 * random.normal() + 0.5 * y);
    row[2] = random.uniform() < 0.2 + 0.1 * y / n_classes ? gap : 100.0 + (y % 2) + random.normal();
    row[3] = std::floor(5.0 * std::pow(random.uniform(), 1.0 + 0.3 * y));
    row[4] = random.uniform() < 0.1 ? gap : std::fmod(std::floor(40.0 * random.uniform()) + 7.0 * y, 40.0);
    data.labels.push_back(i % 2 == 0 ? y : missing_label);
  }
  return data;
}

/// A table whose labels say nothing: numbers are drawn, classes take turns.
inline Dataset noise_table(Index n, Index n_features, int n_classes, std::uint64_t seed) {
  Dataset data;
  data.features = Matrix(n, n_features);
  for (int y = 0; y < n_classes; ++y) data.class_names.emplace_back(1, static_cast<char>('a' + y));
  RandomStream random(seed, RandomPurpose::simulation);
  for (double& value : data.features.values()) value = random.normal();
  for (Index i = 0; i < n; ++i) data.labels.push_back(static_cast<int>(i % n_classes));
  return data;
}

inline ConditionalMembers all_members() {
  return {std::make_shared<LogisticFamily>(), std::make_shared<BoostingFamily>(30),
          std::make_shared<ForestFamily>(), std::make_shared<ClassPriorFamily>()};
}

inline Matrix answers(const Conditional& conditional, MatrixView rows) {
  Matrix out(rows.n_rows, conditional.n_classes());
  conditional.log_probability(rows, out.values());
  return out;
}

inline double largest_difference(const Matrix& a, const Matrix& b) {
  double largest = 0.0;
  for (std::size_t i = 0; i < a.values().size(); ++i)
    largest = std::max(largest, std::abs(std::exp(a.values()[i]) - std::exp(b.values()[i])));
  return largest;
}

/// The rows with an even number twice, and the same as weights.
inline std::pair<Dataset, Dataset> doubled(const Dataset& data) {
  Dataset twice = data;
  Dataset weighted = data;
  std::vector<double> cells(data.features.values().begin(), data.features.values().end());
  for (Index i = 0; i < data.n_rows(); ++i) {
    const bool is_double = i % 4 == 0;
    weighted.weights.push_back(is_double ? 2.0 : 1.0);
    if (!is_double) continue;
    cells.insert(cells.end(), data.features.row(i), data.features.row(i) + data.n_features());
    twice.labels.push_back(data.labels[static_cast<std::size_t>(i)]);
  }
  const auto n = static_cast<Index>(twice.labels.size());
  twice.features = Matrix(n, data.n_features(), std::move(cells));
  return {std::move(twice), std::move(weighted)};
}

} // namespace lacuna::testing
