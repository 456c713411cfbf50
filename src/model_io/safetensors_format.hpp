#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lacuna/core/errors.hpp"
#include "lacuna/core/matrix.hpp"

// The model file is a safetensors file: 8 bytes with the header's length (little-endian), the header in JSON,
// padded with spaces so that the data starts at a multiple of 8 bytes, then the data of all tensors.
//
//   {"__metadata__":{"checksum":"crc32:89abcdef","format":"lacuna","format_version":"2","text/NAME":"..."},
//    "NAME":{"dtype":"F64","shape":[2,3],"data_offsets":[0,48]}}
//
// Stricter than safetensors demands, so that one archive has one file: no spaces in the header, metadata
// first, texts and tensors in the order of their names, the data of each tensor right behind the one before.
// The checksum is the CRC-32 of the whole file with its own 8 digits taken as '0'. It stands at a fixed
// place, and every later version of the format must start the same way up to and including its version.
namespace lacuna::safetensors {

static_assert(std::endian::native == std::endian::little, "tensors are copied as they lie in memory");
static_assert(sizeof(double) == 8 && sizeof(float) == 4);

inline constexpr std::size_t length_bytes = 8;
inline constexpr std::size_t max_header_bytes = std::size_t{64} << 20U;
inline constexpr std::size_t max_dimensions = 32; // numpy can show no more

inline constexpr std::string_view metadata_key = "__metadata__";
inline constexpr std::string_view text_prefix = "text/";
/// What is written. Files of version 1 are read too: they are laid out alike, but hold numbers where this one
/// has names, which is for who reads the archive to tell (docs/model-file.md).
inline constexpr std::string_view format_version = "2";
inline constexpr std::string_view first_format_version = "1";

inline constexpr std::string_view before_checksum = R"({"__metadata__":{"checksum":"crc32:)";
inline constexpr std::size_t checksum_digits = 8;
inline constexpr std::string_view after_checksum = R"(","format":"lacuna","format_version":")";
inline constexpr std::size_t checksum_at = length_bytes + before_checksum.size();

/// The 8 digits for a whole file, whatever stands in their place now. The file must reach beyond them.
std::string checksum(std::string_view file);

/// The bytes of one number, F64 or F32.
inline constexpr std::size_t number_bytes(bool is_single) {
  return is_single ? sizeof(float) : sizeof(double);
}

/// How many numbers a shape holds; nothing when a dimension is negative or the bytes cannot be counted in
/// Index. An empty dimension excuses no overflow of the others.
std::optional<Index> element_count(const std::vector<Index>& shape);

/// The size of the header, from a file's size and (at least) its first 8 bytes. Throws Error(data) when it
/// cannot be: so a file is judged before it is loaded.
std::size_t checked_header_size(std::string_view start, std::uintmax_t file_size);

/// Throws Error(data) about the content of a model file, which its caller names.
[[noreturn]] void fail(const std::string& statement, const std::string& remedy = "");
/// The same error about this model file.
Error about_file(const Error& error, const std::string& path);

/// What to do about a file that is not whole.
inline constexpr const char* copy_again = "copy it again or fit again";
/// What to do about a file that is no model.
inline constexpr const char* make_one = "make one with 'lacuna fit'";

/// A name from a file for an error text: quoted, escaped, and cut when it is very long.
std::string printable(std::string_view name);

} // namespace lacuna::safetensors
