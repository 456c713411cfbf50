#include "data/array_table.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include <fmt/format.h>

#include "data/messages.hpp"

namespace lacuna {

namespace {

template <typename T>
T load(const char* from, bool is_big_endian) {
  std::array<char, sizeof(T)> raw;
  std::memcpy(raw.data(), from, sizeof(T));
  if (is_big_endian != (std::endian::native == std::endian::big)) std::reverse(raw.begin(), raw.end());
  return std::bit_cast<T>(raw);
}

/// Calls `use` with the element in its own type.
template <typename Use>
auto with_element(const ArrayLayout& layout, const char* from, Use use) {
  const bool big = layout.is_big_endian;
  switch (layout.type) {
  case ElementType::f4: return use(load<float>(from, big));
  case ElementType::f8: return use(load<double>(from, big));
  case ElementType::i1: return use(load<std::int8_t>(from, big));
  case ElementType::i2: return use(load<std::int16_t>(from, big));
  case ElementType::i4: return use(load<std::int32_t>(from, big));
  case ElementType::i8: return use(load<std::int64_t>(from, big));
  case ElementType::u1: return use(load<std::uint8_t>(from, big));
  case ElementType::u2: return use(load<std::uint16_t>(from, big));
  case ElementType::u4: return use(load<std::uint32_t>(from, big));
  case ElementType::u8: return use(load<std::uint64_t>(from, big));
  case ElementType::b1: break;
  }
  return use(static_cast<std::uint8_t>(*from != 0 ? 1 : 0));
}

/// Integers keep all their digits; whole floats look like integers.
template <typename T>
std::string number_text(T value) {
  if constexpr (std::is_floating_point_v<T>) {
    if (std::isnan(value)) return "nan"; // whatever its sign
    if (std::abs(value) < T(1e15) && value == std::trunc(value))
      return std::to_string(static_cast<std::int64_t>(value));
    return fmt::format("{}", value);
  } else {
    return std::to_string(value);
  }
}

class ArrayTable : public FileTable {
public:
  ArrayTable(std::unique_ptr<ByteSource> source, const ArrayLayout& layout)
      : FileTable(std::move(source)), layout_(layout), element_size_(element_size(layout.type)) {
    // The header is believed only as far as there are bytes behind it, so they come before the column names.
    const std::uint64_t n_first_rows =
        layout_.is_column_major ? layout_.n_rows : std::min<std::uint64_t>(1, layout_.n_rows);
    read_first(static_cast<std::size_t>(n_first_rows * layout_.n_columns) * element_size_);
    set_numbered_columns(static_cast<std::size_t>(layout_.n_columns));
  }

  bool next() override {
    if (static_cast<std::uint64_t>(row()) == layout_.n_rows) {
      if (!is_at_end())
        fail_data(in_file(path()),
                  fmt::format("bytes follow the {} rows that its header promises; the file is damaged",
                              layout_.n_rows));
      return false;
    }
    if (row() > 0 && !layout_.is_column_major) read_row();
    count_row();
    return true;
  }

  Number read_number(std::size_t column) const override {
    return judge_number(
        with_element(layout_, element(column), [](auto value) { return static_cast<double>(value); }));
  }

  std::string_view text(std::size_t column) const override {
    text_ = with_element(layout_, element(column), [](auto value) { return number_text(value); });
    return text_;
  }

  bool is_numeric() const override { return true; }

private:
  const char* element(std::size_t column) const {
    const std::size_t place = layout_.is_column_major ? column * static_cast<std::size_t>(layout_.n_rows) +
                                                            static_cast<std::size_t>(row() - 1)
                                                      : column;
    return values_.data() + place * element_size_;
  }

  void read_row() {
    try {
      if (bytes().read(values_.data(), values_.size()) == values_.size()) return;
    } catch (const Error& error) {
      fail_after_row(error);
    }
    if (is_at_end()) fail_cut();
  }

  /// Throws where the file does not end but is damaged.
  bool is_at_end() {
    try {
      return bytes().peek(1).empty();
    } catch (const Error& error) {
      fail_after_row(error);
    }
  }

  void read_first(std::size_t total) {
    constexpr std::size_t first_step = 64UL * 1024UL;
    while (values_.size() < total) {
      const std::size_t had = values_.size();
      const std::size_t step = std::min(total - had, std::max(first_step, had));
      values_.resize(had + step);
      if (bytes().read(values_.data() + had, step) == step) continue;
      if (is_at_end()) fail_cut();
    }
  }

  [[noreturn]] void fail_cut() const {
    fail_data(in_file(path()),
              fmt::format("it is cut off: its header promises {} rows of {} columns, but it ends {}",
                          layout_.n_rows, layout_.n_columns,
                          row() > 0 ? fmt::format("after row {}", row()) : std::string("before")));
  }

  ArrayLayout layout_;
  std::size_t element_size_;
  std::vector<char> values_; ///< the current row, or everything when column-major
  mutable std::string text_;
};

} // namespace

std::size_t element_size(ElementType type) {
  switch (type) {
  case ElementType::f8:
  case ElementType::i8:
  case ElementType::u8: return 8;
  case ElementType::f4:
  case ElementType::i4:
  case ElementType::u4: return 4;
  case ElementType::i2:
  case ElementType::u2: return 2;
  case ElementType::i1:
  case ElementType::u1:
  case ElementType::b1: break;
  }
  return 1;
}

void set_shape(ArrayLayout& layout, const std::vector<std::uint64_t>& shape, const std::string& path) {
  if (shape.empty()) fail_value(in_file(path), "a single number without dimensions", "rows and columns");
  constexpr std::uint64_t most_bytes = std::numeric_limits<std::int64_t>::max();
  const auto times = [&](std::uint64_t a, std::uint64_t b) {
    if (b != 0 && a > most_bytes / b)
      fail_data(in_file(path), "the sizes in its header are too large to be true; the file is damaged");
    return a * b;
  };
  layout.n_rows = shape[0];
  layout.n_columns = 1;
  for (std::size_t k = 1; k < shape.size(); ++k) layout.n_columns = times(layout.n_columns, shape[k]);
  times(times(layout.n_rows, layout.n_columns), element_size(layout.type));
  if (layout.n_columns == 0) fail_data(in_file(path), "it has no columns");
  if (layout.n_columns > max_columns)
    fail_value(in_file(path), fmt::format("{} columns", layout.n_columns),
               fmt::format("at most {}", max_columns));
  // No byte stands behind the columns of an array without rows.
  constexpr std::uint64_t max_columns_of_no_row = 10'000;
  if (layout.n_rows == 0 && layout.n_columns > max_columns_of_no_row)
    fail_data(in_file(path),
              fmt::format("it has no row, yet its header claims {} columns; the file is damaged",
                          layout.n_columns));
}

std::unique_ptr<TableSource> open_array_table(std::unique_ptr<ByteSource> bytes, const ArrayLayout& layout) {
  return std::make_unique<ArrayTable>(std::move(bytes), layout);
}

} // namespace lacuna
