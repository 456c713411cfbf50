#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "lacuna/core/random.hpp"
#include "lacuna/evaluation/scored_rows.hpp"

namespace lacuna::test {

inline int random_below(RandomStream& random, int n) {
  return static_cast<int>(random.uniform() * n);
}

/// Rows with many ties, some at 0 and 1, and three strata.
inline ScoredRows random_scored_rows(std::uint64_t problem, int max_rows = 300) {
  RandomStream random(21, RandomPurpose::simulation, problem);
  ScoredRows rows;
  rows.stratum_names = {"a", "b", "c"};
  const int n = 1 + random_below(random, max_rows);
  const int n_levels = 1 + random_below(random, 40);
  for (int i = 0; i < n; ++i) {
    const double q = random.uniform() < 0.5
                         ? random.uniform()
                         : static_cast<double>(random_below(random, n_levels + 1)) / n_levels;
    rows.label.push_back(random.uniform() < 0.3 + 0.4 * q ? 1 : 0);
    rows.prediction.push_back(0);
    rows.error_probability.push_back(q);
    rows.stratum.push_back(random_below(random, 3));
  }
  return rows;
}

template <typename T>
std::vector<T> picked(const std::vector<T>& values, const std::vector<std::size_t>& order) {
  std::vector<T> result;
  for (const std::size_t i : order) result.push_back(values[i]);
  return result;
}

inline ScoredRows picked(const ScoredRows& rows, const std::vector<std::size_t>& order) {
  return {picked(rows.label, order), picked(rows.prediction, order), picked(rows.error_probability, order),
          picked(rows.stratum, order), rows.stratum_names};
}

inline ScoredRows shuffled(const ScoredRows& rows, std::uint64_t problem) {
  RandomStream random(22, RandomPurpose::simulation, problem);
  std::vector<std::size_t> order(rows.label.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  for (std::size_t i = order.size(); i > 1; --i)
    std::swap(order[i - 1], order[static_cast<std::size_t>(random_below(random, static_cast<int>(i)))]);
  return picked(rows, order);
}

inline ScoredRows twice(const ScoredRows& rows) {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < 2 * rows.label.size(); ++i) order.push_back(i / 2);
  return picked(rows, order);
}

/// Rows of (error probability, is it an error).
inline ScoredRows rows_of(const std::vector<std::pair<double, bool>>& outcomes) {
  ScoredRows rows;
  for (const auto& [q, is_error] : outcomes) {
    rows.label.push_back(is_error ? 1 : 0);
    rows.prediction.push_back(0);
    rows.error_probability.push_back(q);
    rows.stratum.push_back(no_stratum);
  }
  return rows;
}

inline double brier_error(const ScoredRows& rows) {
  long double sum = 0.0L;
  for (Index i = 0; i < rows.n_rows(); ++i) {
    const long double gap =
        (rows.is_error(i) ? 1.0L : 0.0L) - rows.error_probability[static_cast<std::size_t>(i)];
    sum += gap * gap;
  }
  return static_cast<double>(sum / static_cast<long double>(rows.n_rows()));
}

} // namespace lacuna::test
