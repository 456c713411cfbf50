#pragma once

#include <optional>
#include <string>

namespace lacuna {

/// What a file holds; nothing when it cannot be read.
std::optional<std::string> content_of(const std::string& path);
/// Writes a file that is replaced as a whole or not at all.
void replace_file(const std::string& path, const std::string& text);

} // namespace lacuna
