#pragma once

#include <string>
#include <vector>

#include "lacuna/data/table.hpp"
#include "pipeline/row_sample.hpp"

namespace lacuna {

/// Per feature of a table its categories, when it holds their numbers; empty when no feature does.
using CodedCategories = std::vector<std::vector<std::string>>;
CodedCategories coded_categories(const TableSchema& schema);

/// Names of features in which every category is a flag of its own: "job=clerk", "job=nurse".
std::vector<std::string> flag_names(const std::vector<std::string>& names, const CodedCategories& categories);

/// Rows as pictures and words can take them: a flag per category, and the mean of the others where a number
/// is missing.
void make_drawable(RowSample::Drawn& rows, const CodedCategories& categories);

} // namespace lacuna
