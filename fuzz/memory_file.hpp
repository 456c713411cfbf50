#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

/// A file that only this program sees: its path can be opened and read as long as it lives, and nothing is
/// asked of the kernel, where reading a real one takes longer than most readers do. The bytes stay where they
/// are.
class MemoryFile {
public:
  MemoryFile(const std::uint8_t* bytes, std::size_t size);
  explicit MemoryFile(std::string_view bytes)
      : MemoryFile(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()) {}
  ~MemoryFile();
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;

  const std::string& path() const { return path_; }

private:
  std::size_t place_;
  std::string path_;
};
