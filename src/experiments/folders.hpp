#pragma once

#include <optional>
#include <string>

namespace lacuna {

/// What a file of ours holds; nothing when it cannot be read, is no regular file, or has more than 16 MiB.
std::optional<std::string> content_of(const std::string& path);
/// Writes a file that is replaced as a whole or not at all.
void replace_file(const std::string& path, const std::string& text);

} // namespace lacuna
