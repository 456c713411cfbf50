#include <charconv>
#include <optional>

#include <fmt/format.h>

#include "data/array_table.hpp"
#include "data/messages.hpp"

namespace lacuna {

namespace {

constexpr std::size_t longest_header = 1024UL * 1024UL;

/// Reads the Python dictionary in an NPY header: {'descr': '<f8', 'fortran_order': False, 'shape': (3, 4), }
class HeaderParser {
public:
  HeaderParser(std::string_view text, const std::string& path) : rest_(text), path_(path) {}

  ArrayLayout parse() {
    expect('{');
    while (!take('}')) {
      const std::string key = string();
      expect(':');
      read_value(key);
      if (!take(',') && !next_is('}')) fail_syntax();
    }
    skip_spaces();
    if (!rest_.empty() || !descr_ || !is_fortran_ || !shape_) fail_syntax();
    ArrayLayout layout;
    set_type(layout);
    set_shape(layout, *shape_, path_);
    if (*is_fortran_ && shape_->size() > 2)
      fail_data(in_file(path_),
                fmt::format("it holds an array of {} dimensions in Fortran order", shape_->size()),
                "save it in C order, for example with numpy.ascontiguousarray");
    layout.is_column_major = *is_fortran_ && shape_->size() == 2;
    return layout;
  }

private:
  void read_value(const std::string& key) {
    if (key == "descr" && !descr_) {
      if (next_is('[')) fail_type("a structured type (several fields per element)");
      descr_ = string();
    } else if (key == "fortran_order" && !is_fortran_) {
      is_fortran_ = boolean();
    } else if (key == "shape" && !shape_) {
      shape_ = tuple();
    } else {
      fail_syntax();
    }
  }

  void set_type(ArrayLayout& layout) {
    static constexpr std::pair<std::string_view, ElementType> types[] = {
        {"f4", ElementType::f4}, {"f8", ElementType::f8}, {"i1", ElementType::i1}, {"i2", ElementType::i2},
        {"i4", ElementType::i4}, {"i8", ElementType::i8}, {"u1", ElementType::u1}, {"u2", ElementType::u2},
        {"u4", ElementType::u4}, {"u8", ElementType::u8}, {"b1", ElementType::b1}};
    std::string_view name = *descr_;
    if (!name.empty() && std::string_view("<>|=").find(name[0]) != std::string_view::npos) {
      layout.is_big_endian = name[0] == '>';
      name.remove_prefix(1);
    }
    for (const auto& [known, type] : types) {
      if (name != known) continue;
      layout.type = type;
      return;
    }
    if (name.starts_with('O')) fail_type("Python objects (pickled)");
    if (name.starts_with('U') || name.starts_with('S')) fail_type("text");
    fail_type("elements of type " + in_quotes(*descr_));
  }

  void skip_spaces() {
    while (!rest_.empty() && (rest_[0] == ' ' || rest_[0] == '\n' || rest_[0] == '\t'))
      rest_.remove_prefix(1);
  }
  bool next_is(char c) {
    skip_spaces();
    return rest_.starts_with(c);
  }
  bool take(char c) {
    if (!next_is(c)) return false;
    rest_.remove_prefix(1);
    return true;
  }
  void expect(char c) {
    if (!take(c)) fail_syntax();
  }

  std::string string() {
    const char quote = next_is('"') ? '"' : '\'';
    expect(quote);
    const std::size_t length = rest_.find(quote);
    if (length == std::string_view::npos) fail_syntax();
    std::string result(rest_.substr(0, length));
    rest_.remove_prefix(length + 1);
    return result;
  }

  bool boolean() {
    skip_spaces();
    const bool value = rest_.starts_with("True");
    const std::string_view word = value ? "True" : "False";
    if (!rest_.starts_with(word)) fail_syntax();
    rest_.remove_prefix(word.size());
    return value;
  }

  std::vector<std::uint64_t> tuple() {
    std::vector<std::uint64_t> sizes;
    expect('(');
    while (!take(')')) {
      skip_spaces();
      std::uint64_t size = 0;
      const auto result = std::from_chars(rest_.data(), rest_.data() + rest_.size(), size);
      if (result.ec != std::errc{}) fail_syntax();
      rest_.remove_prefix(static_cast<std::size_t>(result.ptr - rest_.data()));
      if (rest_.starts_with('L')) rest_.remove_prefix(1); // written by Python 2
      sizes.push_back(size);
      if (!take(',') && !next_is(')')) fail_syntax();
    }
    return sizes;
  }

  [[noreturn]] void fail_syntax() const { fail_data(in_file(path_), "it has a damaged NPY header"); }
  [[noreturn]] void fail_type(const std::string& what) const {
    fail_value(in_file(path_), what, "float32, float64, integers or booleans",
               "convert the array, for example with array.astype('float64')");
  }

  std::string_view rest_;
  const std::string& path_;
  std::optional<std::string> descr_;
  std::optional<bool> is_fortran_;
  std::optional<std::vector<std::uint64_t>> shape_;
};

/// The header's text behind magic, version and length.
std::string read_header_text(ByteSource& bytes) {
  const auto read_exactly = [&](std::size_t size) {
    std::string part(size, '\0');
    if (bytes.read(part.data(), size) != size && bytes.peek(1).empty())
      fail_data(in_file(bytes.path()), "it is cut off within its NPY header");
    return part;
  };
  const int version = static_cast<unsigned char>(read_exactly(8)[6]);
  if (version < 1 || version > 3)
    fail_data(in_file(bytes.path()), fmt::format("it is an NPY file of version {}", version),
              "lacuna reads versions 1 to 3");
  std::size_t length = 0;
  const std::string raw = read_exactly(version == 1 ? 2 : 4);
  for (std::size_t k = raw.size(); k-- > 0;) length = (length << 8U) | static_cast<unsigned char>(raw[k]);
  if (length > longest_header) fail_data(in_file(bytes.path()), "it has a damaged NPY header");
  return read_exactly(length);
}

} // namespace

std::unique_ptr<TableSource> open_npy_table(std::unique_ptr<ByteSource> bytes) {
  const std::string header = read_header_text(*bytes);
  const ArrayLayout layout = HeaderParser(header, bytes->path()).parse();
  return open_array_table(std::move(bytes), layout);
}

} // namespace lacuna
