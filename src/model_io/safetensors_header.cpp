#include "model_io/safetensors_header.hpp"

#include <limits>

#include <nlohmann/json.hpp>

#include "lacuna/core/errors.hpp"
#include "model_io/safetensors_format.hpp"

namespace lacuna::safetensors {

namespace {

using nlohmann::json;

// Names ascend strictly, so an equal neighbour is the only way to appear twice.
void check_order(const std::string& previous, const std::string& name) {
  if (name == previous) fail("the name " + printable(name) + " appears twice");
  if (name < previous) fail("the name " + printable(name) + " is out of order");
}

// Receives the header piece by piece. A document tree would be simpler, but it would keep the last of two
// equal names without a word, and 64 MiB of brackets would become gigabytes of tree.
class HeaderReader : public nlohmann::json_sax<json> {
public:
  Header header;

  bool start_object(std::size_t) override {
    if (place_ == Place::outside) {
      place_ = Place::root;
    } else if (place_ == Place::root_value) {
      place_ = is_metadata_ ? Place::metadata : Place::tensor;
      fields_seen_ = 0;
    } else {
      unexpected("an object");
    }
    return true;
  }

  bool key(string_t& name) override {
    if (place_ == Place::root) {
      start_entry(name);
    } else if (place_ == Place::metadata) {
      if (!header.metadata.empty()) check_order(header.metadata.back().first, name);
      header.metadata.emplace_back(name, "");
      place_ = Place::metadata_value;
    } else {
      start_field(name);
    }
    return true;
  }

  bool string(string_t& text) override {
    if (place_ == Place::metadata_value) {
      header.metadata.back().second = text;
      place_ = Place::metadata;
    } else if (place_ == Place::dtype) {
      if (text != "F64" && text != "F32")
        fail_tensor("has the type " + printable(text) + ", expected F64 or F32");
      tensor().is_single = text == "F32";
      place_ = Place::tensor;
    } else {
      unexpected("a text");
    }
    return true;
  }

  bool start_array(std::size_t) override {
    if (place_ == Place::shape) {
      place_ = Place::shape_numbers;
    } else if (place_ == Place::offsets) {
      place_ = Place::offset_numbers;
    } else {
      unexpected("a list");
    }
    return true;
  }

  bool number_unsigned(number_unsigned_t value) override {
    if (place_ != Place::shape_numbers && place_ != Place::offset_numbers) unexpected("a number");
    const bool is_shape = place_ == Place::shape_numbers;
    std::vector<Index>& numbers = is_shape ? tensor().shape : tensor().data_offsets;
    if (numbers.size() == (is_shape ? max_dimensions : 2)) fail_tensor("has too many numbers in a list");
    if (value > static_cast<number_unsigned_t>(std::numeric_limits<Index>::max()))
      fail_tensor("has a size that no file can have: " + std::to_string(value));
    numbers.push_back(static_cast<Index>(value));
    return true;
  }

  bool end_array() override {
    if (place_ == Place::offset_numbers && tensor().data_offsets.size() != 2)
      fail_tensor("has no two data_offsets");
    place_ = Place::tensor;
    return true;
  }

  bool end_object() override {
    if (place_ == Place::tensor && fields_seen_ != all_fields) fail_tensor("lacks dtype, shape or offsets");
    place_ = place_ == Place::root ? Place::outside : Place::root;
    return true;
  }

  bool null() override { return unexpected("null"); }
  bool boolean(bool) override { return unexpected("true or false"); }
  bool number_integer(number_integer_t) override { return unexpected("a negative number"); }
  bool number_float(number_float_t, const string_t&) override {
    return unexpected("a number that is not whole or too large");
  }
  bool binary(binary_t&) override { return unexpected("binary"); }
  bool parse_error(std::size_t position, const std::string&, const nlohmann::detail::exception&) override {
    fail("its header is no valid JSON at byte " + std::to_string(position));
  }

private:
  enum class Place {
    outside,
    root,
    root_value,
    metadata,
    metadata_value,
    tensor,
    dtype,
    shape,
    shape_numbers,
    offsets,
    offset_numbers,
  };
  static constexpr unsigned dtype_field = 1, shape_field = 2, offsets_field = 4, all_fields = 7;

  TensorEntry& tensor() { return header.tensors.back(); }

  [[noreturn]] void fail_tensor(const std::string& what) {
    fail("tensor " + printable(tensor().name) + " " + what);
  }

  [[noreturn]] bool unexpected(const std::string& found) {
    fail("its header holds " + found + " where none can be");
  }

  void start_entry(const std::string& name) {
    is_metadata_ = name == metadata_key;
    if (is_metadata_) {
      if (metadata_seen_) check_order(name, name);
      metadata_seen_ = true;
    } else {
      if (!header.tensors.empty()) check_order(tensor().name, name);
      header.tensors.push_back({name, {}, {}, false});
    }
    place_ = Place::root_value;
  }

  void start_field(const std::string& name) {
    unsigned field = 0;
    if (name == "dtype") {
      field = dtype_field;
      place_ = Place::dtype;
    } else if (name == "shape") {
      field = shape_field;
      place_ = Place::shape;
    } else if (name == "data_offsets") {
      field = offsets_field;
      place_ = Place::offsets;
    } else {
      fail_tensor("has the unknown field " + printable(name));
    }
    if ((fields_seen_ & field) != 0) fail_tensor("has the field " + printable(name) + " twice");
    fields_seen_ |= field;
  }

  Place place_ = Place::outside;
  bool is_metadata_ = false;
  bool metadata_seen_ = false;
  unsigned fields_seen_ = 0;
};

} // namespace

Header parse_header(std::string_view text) {
  // The parser takes a zero byte for the end of its input and would not see what is hidden behind it.
  if (const auto zero = text.find('\0'); zero != text.npos)
    fail("its header is no valid JSON at byte " + std::to_string(zero + 1));
  HeaderReader reader;
  json::sax_parse(text.begin(), text.end(), &reader);
  return std::move(reader.header);
}

} // namespace lacuna::safetensors
