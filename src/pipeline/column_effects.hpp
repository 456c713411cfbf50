#pragma once

#include <vector>

#include "lacuna/pipeline/explain.hpp"

namespace lacuna {

/// What a cell of a column holds, of its features in a row.
std::string cell_text(const TableColumn& column, const double* features);
/// How many features a column has.
Index n_features_of(const TableColumn& column);

/// Fills in the columns of an explanation of `row`, as the schema encodes it: docs/math/explanation.md,
/// eq. 2.
void tell_columns(const Model& model, const double* row, Explanation& found);

} // namespace lacuna
