#include "data/byte_source.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <new>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "core/files.hpp"
#include "data/messages.hpp"
#include "lacuna/core/errors.hpp"

namespace lacuna {

struct ByteSource::Handle {
  gzFile file = nullptr;
  ~Handle() {
    if (file != nullptr) gzclose_r(file);
  }
};

namespace {

constexpr unsigned buffer_size = 64U * 1024U;
constexpr std::size_t bytes_between_looks = 1UL << 20U;
constexpr std::size_t longest_peek = 16;

[[noreturn]] void fail_open(const std::string& path, const std::string& reason,
                            const std::string& remedy = "") {
  ErrorParts parts;
  parts.place = in_file(path);
  parts.statement = "it cannot be read: " + reason;
  parts.remedy = remedy;
  throw Error(ErrorKind::no_input, std::move(parts));
}

} // namespace

ByteSource::ByteSource(std::string path, ReadingWatch watch)
    : path_(std::move(path)), watch_(std::move(watch)), handle_(std::make_unique<Handle>()) {
  if (path_.empty()) fail_open(path_, "the name of the file is empty", "name a file");
  if (holds_zero_byte(path_)) fail_open(path_, zero_byte_words);
  const int descriptor = open(path_.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) fail_open(path_, errno == ENOENT ? "there is no such file" : std::strerror(errno));
  struct stat info {};
  const bool is_known = fstat(descriptor, &info) == 0;
  if (is_known && S_ISDIR(info.st_mode)) {
    close(descriptor);
    fail_open(path_, "it is a folder", "name a file");
  }
  if (is_known && S_ISREG(info.st_mode)) file_size_ = static_cast<std::uint64_t>(info.st_size);
  handle_->file = gzdopen(descriptor, "rb"); // takes the descriptor over
  if (handle_->file == nullptr) {
    close(descriptor);
    throw std::bad_alloc();
  }
  gzbuffer(handle_->file, buffer_size);
}

ByteSource::~ByteSource() = default;

std::size_t ByteSource::read_unpacked(char* into, std::size_t size) {
  std::size_t n_read = 0;
  while (n_read < size) {
    const std::size_t wanted = std::min(size - n_read, bytes_between_looks);
    const int got = gzread(handle_->file, into + n_read, static_cast<unsigned>(wanted));
    if (got > 0) n_read += static_cast<std::size_t>(got);
    if (got >= 0 && static_cast<std::size_t>(got) == wanted) {
      look(wanted);
      continue;
    }
    int code = Z_OK;
    const char* reason = gzerror(handle_->file, &code);
    if (code == Z_ERRNO) fail_open(path_, std::strerror(errno));
    if (code == Z_MEM_ERROR) throw std::bad_alloc();
    if (code == Z_BUF_ERROR) fail_data(in_file(path_), "it is cut off: the gzip data end too early");
    if (code != Z_OK && code != Z_STREAM_END)
      fail_data(in_file(path_),
                std::string("it cannot be unpacked, the gzip data are damaged (") + reason + ")");
    break;
  }
  return n_read;
}

void ByteSource::look(std::size_t n_new) {
  n_since_look_ += n_new;
  if (!watch_ || n_since_look_ < bytes_between_looks) return;
  n_since_look_ = 0;
  watch_(position());
}

std::size_t ByteSource::read(char* into, std::size_t size) {
  const std::size_t n_peeked = std::min(size, peeked_.size());
  std::copy_n(peeked_.data(), n_peeked, into);
  peeked_.erase(0, n_peeked);
  return n_peeked + read_unpacked(into + n_peeked, size - n_peeked);
}

std::string_view ByteSource::peek(std::size_t size) {
  size = std::min(size, longest_peek);
  if (peeked_.size() < size) {
    const std::size_t had = peeked_.size();
    peeked_.resize(size);
    peeked_.resize(had + read_unpacked(peeked_.data() + had, size - had));
  }
  return std::string_view(peeked_).substr(0, size);
}

double ByteSource::position() const {
  const auto offset = gzoffset(handle_->file);
  if (file_size_ == 0 || offset < 0) return 0.0;
  return std::min(1.0, static_cast<double>(offset) / static_cast<double>(file_size_));
}

} // namespace lacuna
