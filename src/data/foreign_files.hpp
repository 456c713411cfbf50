#pragma once

#include <string>
#include <string_view>

namespace lacuna {

/// Throws Error(data) that says what a file is and how to make a table of it, for files that people take for
/// tables. `head` are its first bytes.
void refuse_foreign(const std::string& path, std::string_view head);

} // namespace lacuna
