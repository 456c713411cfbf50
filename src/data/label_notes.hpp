#pragma once

#include <string>
#include <vector>

#include "data/labels.hpp"

namespace lacuna {

/// What is odd about the labels of a table, in words: tokens for a missing one that are taken for classes, no
/// missing label, measured numbers, classes that are spelled almost alike, classes of one row. `asked`: what
/// the user calls classes is one.
std::vector<std::string> label_notes(const TableLabels& labels, Index n_rows, const TableSource& source,
                                     const std::vector<std::string>& asked);

} // namespace lacuna
