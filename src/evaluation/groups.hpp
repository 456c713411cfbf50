#pragma once

#include <vector>

#include "lacuna/evaluation/scored_rows.hpp"

namespace lacuna {

/// One prediction: what was announced and what came.
struct ErrorOutcome {
  double error_probability = 0.0;
  bool is_error = false;
};

/// Outcomes with equal error probabilities put together, by rising error probability, none of them NaN.
std::vector<ErrorGroup> grouped(std::vector<ErrorOutcome> outcomes);

} // namespace lacuna
