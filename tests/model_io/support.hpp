#pragma once

#include <bit>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lacuna/core/archive.hpp"
#include "model_io/archive_file.hpp"
#include "tests/expect_error.hpp"

/// CRC-32 as the standard describes it, bit by bit: nothing shared with the library under test.
inline std::uint32_t slow_crc32(std::string_view bytes) {
  std::uint32_t crc = 0xffffffffU;
  for (const char byte : bytes) {
    crc ^= static_cast<unsigned char>(byte);
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1U) ^ ((crc & 1U) != 0 ? 0xedb88320U : 0U);
  }
  return ~crc;
}

inline std::string little_endian(std::uint64_t value) {
  std::string bytes;
  for (unsigned i = 0; i < 8; ++i) bytes += static_cast<char>((value >> (8 * i)) & 0xffU);
  return bytes;
}

/// The file with its eight checksum digits made right, as far as it has any.
inline std::string with_checksum(std::string file) {
  const std::string mark = R"("checksum":"crc32:)";
  const std::size_t at = file.find(mark);
  if (at == std::string::npos) return file;
  const std::size_t digits_at = at + mark.size();
  file.replace(digits_at, 8, "00000000");
  char digits[9];
  std::snprintf(digits, sizeof digits, "%08x", slow_crc32(file));
  return file.replace(digits_at, 8, digits);
}

/// A file from a header and data, checksum right.
inline std::string file_of(const std::string& header, const std::string& data = "") {
  return with_checksum(little_endian(header.size()) + header + data);
}

inline std::string encoded(const lacuna::Archive& archive) {
  const std::vector<char> bytes = lacuna::encode_archive(archive);
  return {bytes.begin(), bytes.end()};
}

/// Equal to the last bit: NaN equals the same NaN, 0 differs from -0.
inline bool same_bits(const lacuna::Archive& a, const lacuna::Archive& b) {
  if (a.texts() != b.texts() || a.tensors().size() != b.tensors().size()) return false;
  for (const auto& [name, tensor] : a.tensors()) {
    const auto other = b.tensors().find(name);
    if (other == b.tensors().end() || other->second.shape != tensor.shape ||
        other->second.values.size() != tensor.values.size())
      return false;
    for (std::size_t i = 0; i < tensor.values.size(); ++i)
      if (std::bit_cast<std::uint64_t>(tensor.values[i]) !=
          std::bit_cast<std::uint64_t>(other->second.values[i]))
        return false;
  }
  return true;
}
