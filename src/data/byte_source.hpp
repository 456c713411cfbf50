#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace lacuna {

/// Called with the share of a file read so far, 0 to 1, after every megabyte of what it unpacks to, whether
/// or not it holds a row: what it throws ends the reading. May be empty.
using ReadingWatch = std::function<void(double position)>;

/// The bytes of a file, or of standard input for "-", from front to back, unpacked when it is gzip.
class ByteSource {
public:
  /// Throws Error(no_input) when there is no such file, it is a folder, or it may not be read.
  explicit ByteSource(std::string path, ReadingWatch watch = {});
  ~ByteSource();
  ByteSource(const ByteSource&) = delete;
  ByteSource& operator=(const ByteSource&) = delete;

  /// Reads `size` bytes, fewer only at the end of the file or where its gzip data are damaged. Throws
  /// Error(data) when damage comes first, so a call after one that read too few tells the two apart.
  std::size_t read(char* into, std::size_t size);
  /// Up to 16 of the next bytes, which stay unread. Throws like read().
  std::string_view peek(std::size_t size);
  /// Share of the file read so far, 0 to 1; 0 when nobody knows (a pipe).
  double position() const;
  const std::string& path() const { return path_; }

private:
  struct Handle;
  void look(std::size_t n_new);
  std::size_t read_unpacked(char* into, std::size_t size, bool may_throw);

  std::string path_;
  ReadingWatch watch_;
  std::size_t n_since_look_ = 0; ///< bytes
  std::unique_ptr<Handle> handle_;
  std::uint64_t file_size_ = 0;
  std::string peeked_;
};

} // namespace lacuna
