#include "model_io/safetensors_format.hpp"

#include <algorithm>
#include <cstring>
#include <limits>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <zlib.h>

#include "lacuna/core/errors.hpp"

namespace lacuna::safetensors {

namespace {

uLong extend(uLong crc, std::string_view bytes) {
  return crc32_z(crc, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size());
}

} // namespace

std::string checksum(std::string_view file) {
  uLong crc = extend(crc32_z(0, nullptr, 0), file.substr(0, checksum_at));
  crc = extend(crc, std::string(checksum_digits, '0'));
  crc = extend(crc, file.substr(checksum_at + checksum_digits));
  return fmt::format("{:08x}", crc);
}

std::optional<Index> element_count(const std::vector<Index>& shape) {
  constexpr Index limit = std::numeric_limits<Index>::max() / static_cast<Index>(sizeof(double));
  Index product = 1;
  bool is_empty = false;
  for (const Index size : shape) {
    if (size < 0) return std::nullopt;
    is_empty = is_empty || size == 0;
    const Index factor = std::max<Index>(size, 1);
    if (product > limit / factor) return std::nullopt;
    product *= factor;
  }
  return is_empty ? 0 : product;
}

void fail(const std::string& statement, const std::string& remedy) {
  ErrorParts parts;
  parts.statement = statement;
  parts.remedy = remedy;
  throw Error(ErrorKind::data, std::move(parts));
}

Error about_file(const Error& error, const std::string& path) {
  ErrorParts parts = error.parts();
  parts.place.file = path;
  parts.statement = "the model cannot be read: " + parts.statement;
  return {error.kind(), std::move(parts)};
}

std::size_t checked_header_size(std::string_view start, std::uintmax_t file_size) {
  if (file_size < length_bytes)
    fail(fmt::format("it is truncated or not a lacuna model: {} bytes", file_size));
  std::uint64_t size = 0;
  std::memcpy(&size, start.data(), length_bytes);
  // Tables, images and archives all announce absurd sizes here, so this is no truncated model.
  if (size > max_header_bytes) fail("it is not a lacuna model", make_one);
  if (size > file_size - length_bytes)
    fail(fmt::format("it is truncated or not a lacuna model: {} bytes, expected at least {}", file_size,
                     size + length_bytes),
         copy_again);
  return static_cast<std::size_t>(size);
}

std::string printable(std::string_view name) {
  constexpr std::size_t longest = 80;
  const std::string quoted =
      nlohmann::json(name.substr(0, longest)).dump(-1, ' ', true, nlohmann::json::error_handler_t::replace);
  return name.size() > longest ? quoted + "..." : quoted;
}

} // namespace lacuna::safetensors
