#include <algorithm>
#include <cstring>

#include <fmt/format.h>

#include "lacuna/core/errors.hpp"
#include "model_io/archive_file.hpp"
#include "model_io/safetensors_format.hpp"
#include "model_io/safetensors_header.hpp"

namespace lacuna {

namespace {

using namespace safetensors;

// Says whose file this is before anything else in it is judged.
void check_origin(std::string_view header) {
  if (!header.starts_with('{')) fail("it is not a lacuna model");
  const std::size_t fixed_size = before_checksum.size() + checksum_digits + after_checksum.size();
  if (!header.starts_with(before_checksum) || header.size() < fixed_size ||
      !header.substr(before_checksum.size() + checksum_digits).starts_with(after_checksum))
    fail("it is a safetensors file, but not a lacuna model", make_one);
  const std::string_view rest = header.substr(fixed_size);
  const std::string_view version = rest.substr(0, rest.find('"'));
  if (version == format_version || version == first_format_version) return;
  const bool is_number =
      !version.empty() && version.size() < 10 && version.front() != '0' &&
      std::all_of(version.begin(), version.end(), [](char c) { return c >= '0' && c <= '9'; });
  if (!is_number) fail("it is damaged: its format version is " + printable(version));
  fail(fmt::format("it was written by a newer lacuna (format version {}, this one reads {})", version,
                   format_version),
       "update lacuna");
}

// The tensors must lie one behind the other and fill the file to its last byte.
void check_layout(const Header& header, std::size_t data_size) {
  Index end = 0;
  for (const TensorEntry& entry : header.tensors) {
    const auto count = element_count(entry.shape);
    if (!count) fail("the shape of tensor " + printable(entry.name) + " is too large for any file");
    if (entry.data_offsets[0] != end)
      fail(fmt::format("the data of tensor {} starts at byte {}, expected {}", printable(entry.name),
                       entry.data_offsets[0], end));
    if (entry.data_offsets[1] - entry.data_offsets[0] !=
        *count * static_cast<Index>(number_bytes(entry.is_single)))
      fail("the data of tensor " + printable(entry.name) + " has another size than its shape");
    end = entry.data_offsets[1];
  }
  if (static_cast<std::uint64_t>(end) > data_size)
    fail(fmt::format("it is truncated: {} bytes of data, expected {}", data_size, end));
  if (static_cast<std::uint64_t>(end) < data_size)
    fail(fmt::format("it is damaged: {} bytes of data, expected {}", data_size, end));
}

std::vector<double> numbers(std::string_view bytes, bool is_single) {
  std::vector<double> values(bytes.size() / number_bytes(is_single));
  if (!is_single) {
    if (!bytes.empty()) std::memcpy(values.data(), bytes.data(), bytes.size());
    return values;
  }
  for (std::size_t i = 0; i < values.size(); ++i) {
    float value = 0.0F;
    std::memcpy(&value, bytes.data() + i * sizeof(float), sizeof(float));
    values[i] = value;
  }
  return values;
}

Archive decode(std::string_view file) {
  const std::size_t header_size = checked_header_size(file, file.size());
  const std::string_view text = file.substr(length_bytes, header_size);
  const std::string_view data = file.substr(length_bytes + header_size);
  check_origin(text);
  Header header = parse_header(text);
  check_layout(header, data.size());
  const std::string expected = checksum(file);
  const std::string_view found = file.substr(checksum_at, checksum_digits);
  if (found != expected)
    fail(fmt::format("it is damaged: its checksum is {}, expected {}", expected, found), copy_again);

  Archive archive;
  for (auto& [name, value] : header.metadata) {
    if (name.starts_with(text_prefix)) {
      archive.put_text(name.substr(text_prefix.size()), std::move(value));
    } else if (name != "checksum" && name != "format" && name != "format_version") {
      fail("its metadata has the unknown name " + printable(name));
    }
  }
  for (TensorEntry& entry : header.tensors) {
    const auto begin = static_cast<std::size_t>(entry.data_offsets[0]);
    const auto n_bytes = static_cast<std::size_t>(entry.data_offsets[1]) - begin;
    archive.put(entry.name, Tensor{std::move(entry.shape),
                                   numbers(data.substr(begin, n_bytes), entry.is_single), entry.is_single});
  }
  return archive;
}

} // namespace

Archive decode_archive(std::string_view bytes, const std::string& name) {
  try {
    return decode(bytes);
  } catch (const Error& error) {
    throw about_file(error, name);
  }
}

} // namespace lacuna
