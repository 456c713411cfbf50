#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "lacuna/core/archive.hpp"

namespace LACUNA_API lacuna {

/// Writes an archive as a safetensors file, atomically: the path holds the old content or the whole new one,
/// never a part. Throws Error(cannot_write); without `overwrite` also when the path exists already.
void write_archive(const Archive& archive, const std::string& path, bool overwrite);

/// Reads what write_archive wrote. Throws Error(no_input) when there is no such file and Error(data) when it
/// is truncated, damaged, from a newer format or not a lacuna model at all. Trusts no size it has not
/// checked.
Archive read_archive(const std::string& path);

/// The same from and to bytes in memory. `name` is what errors call the source.
std::vector<char> encode_archive(const Archive& archive);
Archive decode_archive(std::string_view bytes, const std::string& name);

} // namespace lacuna
