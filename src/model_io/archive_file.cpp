#include "model_io/archive_file.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <new>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fmt/format.h>

#include "core/files.hpp"
#include "lacuna/core/errors.hpp"
#include "model_io/safetensors_format.hpp"

namespace lacuna {

namespace {

[[noreturn]] void fail_file(ErrorKind kind, const std::string& path, const std::string& reason,
                            const std::string& remedy = "") {
  ErrorParts parts;
  parts.statement = reason;
  parts.remedy = remedy;
  throw safetensors::about_file({kind, std::move(parts)}, path);
}

// A regular file opened for reading: its size is known and reading it ends.
class InputFile {
public:
  explicit InputFile(const std::string& path) : path_(path) {
    if (path.empty()) fail_file(ErrorKind::no_input, path, "the name of its file is empty", "name a file");
    if (holds_zero_byte(path)) fail_file(ErrorKind::no_input, path, zero_byte_words);
    // O_NONBLOCK: opening a pipe nobody writes to must not wait.
    descriptor_ = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (descriptor_ < 0) fail_file(ErrorKind::no_input, path, std::strerror(errno));
    struct stat status {};
    const bool is_known = fstat(descriptor_, &status) == 0;
    if (is_known && S_ISREG(status.st_mode)) {
      size_ = static_cast<std::size_t>(status.st_size);
      return;
    }
    close(descriptor_);
    if (is_known && S_ISDIR(status.st_mode))
      fail_file(ErrorKind::no_input, path, "it is a folder", "name a file");
    fail_file(ErrorKind::no_input, path, "it is not a regular file");
  }
  ~InputFile() { close(descriptor_); }
  InputFile(const InputFile&) = delete;
  InputFile& operator=(const InputFile&) = delete;

  std::size_t size() const { return size_; }

  void read_exactly(char* to, std::size_t n_bytes) {
    while (n_bytes > 0) {
      const ssize_t n = read(descriptor_, to, n_bytes);
      if (n < 0 && errno == EINTR) continue;
      if (n < 0) fail_file(ErrorKind::no_input, path_, std::strerror(errno));
      if (n == 0) fail_file(ErrorKind::data, path_, "it became shorter while it was read");
      to += n;
      n_bytes -= static_cast<std::size_t>(n);
    }
  }

private:
  const std::string& path_;
  int descriptor_ = -1;
  std::size_t size_ = 0;
};

} // namespace

void write_archive(const Archive& archive, const std::string& path, bool overwrite) {
  const std::vector<char> bytes = encode_archive(archive);
  AtomicFile file(path, overwrite);
  file.write({bytes.data(), bytes.size()});
  file.commit();
}

Archive read_archive(const std::string& path) {
  InputFile file(path);
  std::string bytes(std::min(file.size(), safetensors::length_bytes), '\0');
  file.read_exactly(bytes.data(), bytes.size());
  try {
    safetensors::checked_header_size(bytes, file.size());
  } catch (const Error& error) {
    throw safetensors::about_file(error, path);
  }
  try {
    const std::size_t n_read = bytes.size();
    bytes.resize(file.size());
    file.read_exactly(bytes.data() + n_read, bytes.size() - n_read);
    return decode_archive(bytes, path);
  } catch (const std::bad_alloc&) {
    fail_file(ErrorKind::no_resources, path, fmt::format("its {} bytes do not fit into memory", file.size()));
  }
}

} // namespace lacuna
