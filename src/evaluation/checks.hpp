#pragma once

#include <span>

#include "lacuna/core/matrix.hpp"

namespace lacuna {

/// NaN is no probability: the comparison is false.
inline bool is_probability(double value) {
  return value >= 0.0 && value <= 1.0;
}

/// Throws Error(data) that names the row, counted from 1, unless the value is a probability.
void check_error_probability(Index row, double value);
/// The same unless there are as many probabilities as classes.
void check_n_probabilities(Index row, std::size_t n_found, Index n_classes);

/// Throws Error(data) that names the row unless the classes are among those that have a probability, and the
/// probabilities are probabilities. Rows count from 1.
void check_scored_row(Index row, int label, int prediction, double error_probability,
                      std::span<const double> probabilities);

} // namespace lacuna
