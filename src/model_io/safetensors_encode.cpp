#include <cstring>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "lacuna/core/errors.hpp"
#include "model_io/archive_file.hpp"
#include "model_io/safetensors_format.hpp"

namespace lacuna {

namespace {

using nlohmann::json;

// A JSON string, quotes included. `what` and `name` say whose it is when it cannot be one.
std::string quoted(const std::string& text, const char* what, const std::string& name) {
  try {
    return json(text).dump();
  } catch (const json::type_error&) {
    safetensors::fail(fmt::format("cannot save the model: the {} {} is not valid UTF-8", what,
                                  safetensors::printable(name)),
                      "convert the table it comes from to UTF-8 and fit again");
  }
}

void check_tensor(const std::string& name, const Tensor& tensor) {
  const auto count = safetensors::element_count(tensor.shape);
  if (!count || *count != static_cast<Index>(tensor.values.size()) ||
      tensor.shape.size() > safetensors::max_dimensions)
    throw Error(ErrorKind::internal,
                fmt::format("cannot save the model: tensor {} has {} values and the shape [{}]",
                            safetensors::printable(name), tensor.values.size(),
                            fmt::join(tensor.shape, ",")));
  if (name == safetensors::metadata_key)
    throw Error(ErrorKind::internal, "cannot save the model: a tensor cannot be named '" + name + "'");
}

std::size_t data_bytes(const Tensor& tensor) {
  return tensor.values.size() * safetensors::number_bytes(tensor.is_single);
}

char* append(char* to, const Tensor& tensor) {
  if (!tensor.is_single) {
    if (!tensor.values.empty()) std::memcpy(to, tensor.values.data(), data_bytes(tensor));
    return to + data_bytes(tensor);
  }
  for (const double number : tensor.values) {
    const auto value = static_cast<float>(number);
    std::memcpy(to, &value, sizeof(float));
    to += sizeof(float);
  }
  return to;
}

std::string make_header(const Archive& archive) {
  std::string header{safetensors::before_checksum};
  header.append(safetensors::checksum_digits, '0');
  header += safetensors::after_checksum;
  header += safetensors::format_version;
  header += '"';
  for (const auto& [name, text] : archive.texts()) {
    const std::string key{safetensors::text_prefix};
    header += ',' + quoted(key + name, "name of the text", name) + ':' + quoted(text, "text", name);
  }
  header += '}';
  std::size_t offset = 0;
  for (const auto& [name, tensor] : archive.tensors()) {
    check_tensor(name, tensor);
    const std::size_t end = offset + data_bytes(tensor);
    header += fmt::format(R"(,{}:{{"dtype":"{}","shape":[{}],"data_offsets":[{},{}]}})",
                          quoted(name, "name of the tensor", name), tensor.is_single ? "F32" : "F64",
                          fmt::join(tensor.shape, ","), offset, end);
    offset = end;
  }
  header += '}';
  header.append((8 - header.size() % 8) % 8, ' ');
  if (header.size() > safetensors::max_header_bytes)
    safetensors::fail(fmt::format("cannot save the model: its names and texts take {} bytes, at most {} are "
                                  "possible",
                                  header.size(), safetensors::max_header_bytes),
                      "drop columns with very many categories");
  return header;
}

} // namespace

std::vector<char> encode_archive(const Archive& archive) {
  const std::string header = make_header(archive);
  std::size_t size = safetensors::length_bytes + header.size();
  for (const auto& [name, tensor] : archive.tensors()) size += data_bytes(tensor);

  std::vector<char> file(size);
  const std::uint64_t header_size = header.size();
  std::memcpy(file.data(), &header_size, safetensors::length_bytes);
  std::memcpy(file.data() + safetensors::length_bytes, header.data(), header.size());
  char* to = file.data() + safetensors::length_bytes + header.size();
  for (const auto& [name, tensor] : archive.tensors()) to = append(to, tensor);
  const std::string digits = safetensors::checksum({file.data(), file.size()});
  std::memcpy(file.data() + safetensors::checksum_at, digits.data(), digits.size());
  return file;
}

} // namespace lacuna
