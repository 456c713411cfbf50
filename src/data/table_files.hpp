#pragma once

#include <string>
#include <vector>

#include "lacuna/core/version.hpp"

namespace LACUNA_API lacuna {

/// The files that a table's name stands for, at least one. A name with `*`, `?` or `[` that no file has is a
/// pattern, as in a shell: all files that it matches, in the order of their names, are one table. Files that
/// lacuna is about to write are not among them. Throws Error(no_input) for a pattern that matches none.
std::vector<std::string> table_files(const std::string& name);

/// Whether a file belongs to both tables.
bool share_a_file(const std::string& a, const std::string& b);

} // namespace lacuna
