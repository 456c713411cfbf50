#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "data/table_source.hpp"

namespace lacuna {

enum class ElementType { f4, f8, i1, i2, i4, i8, u1, u2, u4, u8, b1 };

std::size_t element_size(ElementType type);

/// How the numbers of an NPY or IDX file lie behind its header.
struct ArrayLayout {
  ElementType type = ElementType::f8;
  bool is_big_endian = false;
  bool is_column_major = false;
  std::uint64_t n_rows = 0;
  std::uint64_t n_columns = 0;
};

/// Fills rows and columns from a shape: the first dimension are the rows, the others are flattened. Throws
/// Error(data) when the sizes cannot be true.
void set_shape(ArrayLayout& layout, const std::vector<std::uint64_t>& shape, const std::string& path);

/// The table behind a header that has been read from `bytes`.
std::unique_ptr<TableSource> open_array_table(std::unique_ptr<ByteSource> bytes, const ArrayLayout& layout);

} // namespace lacuna
