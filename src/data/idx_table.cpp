#include <array>

#include "data/array_table.hpp"
#include "data/messages.hpp"

namespace lacuna {

namespace {

ElementType idx_type(unsigned char code) {
  switch (code) {
  case 0x08: return ElementType::u1;
  case 0x09: return ElementType::i1;
  case 0x0B: return ElementType::i2;
  case 0x0C: return ElementType::i4;
  case 0x0D: return ElementType::f4;
  default: // 0x0E: open_table lets no other pass
    return ElementType::f8;
  }
}

} // namespace

// Two zero bytes, the type, the number of dimensions, and one big-endian 32-bit size for each.
std::unique_ptr<TableSource> open_idx_table(std::unique_ptr<ByteSource> bytes) {
  std::array<char, 4> magic{};
  bytes->read(magic.data(), magic.size());
  ArrayLayout layout;
  layout.type = idx_type(static_cast<unsigned char>(magic[2]));
  layout.is_big_endian = true;
  std::vector<std::uint64_t> shape(static_cast<unsigned char>(magic[3]));
  for (std::uint64_t& size : shape) {
    std::array<char, 4> raw{};
    if (bytes->read(raw.data(), raw.size()) != raw.size() && bytes->peek(1).empty())
      fail_data(in_file(bytes->path()), "it is cut off within its IDX header");
    for (const char byte : raw) size = (size << 8U) | static_cast<unsigned char>(byte);
  }
  set_shape(layout, shape, bytes->path());
  return open_array_table(std::move(bytes), layout);
}

} // namespace lacuna
