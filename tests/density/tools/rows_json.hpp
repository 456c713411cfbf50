#pragma once

#include <vector>

#include <nlohmann/json.hpp>

#include "lacuna/core/matrix.hpp"

namespace lacuna::testing {

inline nlohmann::json rows_of(const Matrix& matrix) {
  nlohmann::json rows = nlohmann::json::array();
  for (Index i = 0; i < matrix.n_rows(); ++i)
    rows.push_back(std::vector<double>(matrix.row(i), matrix.row(i) + matrix.n_cols()));
  return rows;
}

} // namespace lacuna::testing
