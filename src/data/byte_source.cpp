#include "data/byte_source.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <limits>
#include <new>
#include <vector>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "core/files.hpp"
#include "data/messages.hpp"
#include "data/standard_input.hpp"
#include "lacuna/core/errors.hpp"

namespace lacuna {

namespace {

constexpr std::size_t smallest_buffer = 4UL * 1024UL; ///< a small file needs no more
constexpr std::size_t largest_buffer = 64UL * 1024UL;
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

constexpr const char* cut_gzip = "it is cut off: the gzip data end too early";

} // namespace

/// The file as it lies on disk, and where unpacking it stands. zlib's own gzread is not enough: it takes a
/// member whose first bytes are damaged for padding and drops it, with all behind it, without a word.
struct ByteSource::Handle {
  enum class Packing { unknown, none, gzip };

  const std::string& path;
  int descriptor = -1;
  Packing packing = Packing::unknown;
  bool is_in_member = false; ///< between the first and the last byte of a gzip member
  bool is_at_end = false;    ///< the file has no more bytes than those in the buffer
  std::uint64_t n_taken = 0; ///< bytes that came from the file
  std::vector<unsigned char> buffer;
  std::size_t begin = 0, end = 0; ///< what is left of the buffer
  z_stream stream{};
  std::string damage; ///< what was found; it stays

  explicit Handle(const std::string& name) : path(name) {}
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  ~Handle() {
    if (packing == Packing::gzip) inflateEnd(&stream);
    if (descriptor >= 0) close(descriptor);
  }

  std::size_t n_left() const { return end - begin; }

  /// Has at least `size` bytes in the buffer, fewer only at the end of the file.
  void fill(std::size_t size) {
    if (n_left() >= size || is_at_end) return;
    std::copy(buffer.begin() + static_cast<std::ptrdiff_t>(begin),
              buffer.begin() + static_cast<std::ptrdiff_t>(end), buffer.begin());
    end -= begin;
    begin = 0;
    while (end < size && !is_at_end) {
      const ssize_t got = ::read(descriptor, buffer.data() + end, buffer.size() - end);
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) fail_open(path, std::strerror(errno));
      is_at_end = got == 0;
      end += static_cast<std::size_t>(got);
      n_taken += static_cast<std::uint64_t>(got);
    }
  }

  void find_packing() {
    fill(2);
    packing = Packing::none;
    if (!starts_member()) return;
    if (inflateInit2(&stream, 15 + 16) != Z_OK) throw std::bad_alloc();
    packing = Packing::gzip;
    is_in_member = true;
  }

  bool starts_member() const { return n_left() >= 2 && buffer[begin] == 0x1f && buffer[begin + 1] == 0x8b; }

  /// Up to `size` bytes as they are.
  std::size_t copy(char* into, std::size_t size) {
    fill(1);
    const std::size_t n = std::min(size, n_left());
    std::copy_n(buffer.data() + begin, n, into);
    begin += n;
    return n;
  }

  /// Up to `size` bytes unpacked; none only where the data end well.
  std::size_t unpack(char* into, std::size_t size) {
    std::size_t n_unpacked = 0;
    while (n_unpacked == 0) {
      if (!is_in_member && damage.empty() && !goes_to_next_member()) break;
      if (!damage.empty()) fail_data(in_file(path), damage);
      fill(1);
      if (n_left() == 0) fail_data(in_file(path), cut_gzip);
      stream.next_in = buffer.data() + begin;
      stream.avail_in = static_cast<uInt>(n_left());
      stream.next_out = reinterpret_cast<Bytef*>(into);
      stream.avail_out = static_cast<uInt>(std::min<std::size_t>(size, std::numeric_limits<int>::max()));
      const uInt wanted = stream.avail_out;
      const int code = inflate(&stream, Z_NO_FLUSH);
      n_unpacked = wanted - stream.avail_out;
      begin = end - stream.avail_in;
      if (code == Z_STREAM_END) {
        is_in_member = false;
      } else if (code == Z_MEM_ERROR) {
        throw std::bad_alloc();
      } else if (code != Z_OK && code != Z_BUF_ERROR) { // what came before the damage is handed out first
        damage = "it cannot be unpacked, the gzip data are damaged";
        if (stream.msg != nullptr) damage += std::string(" (") + stream.msg + ")";
      }
    }
    return n_unpacked;
  }

  /// Behind a member comes another one, or zeros to the end: padding, as tapes have it. gzip(1) warns of
  /// anything else and drops it; but it may be a damaged member, and its rows must not be missed in silence.
  /// False where the data end well.
  bool goes_to_next_member() {
    fill(2);
    if (starts_member()) {
      is_in_member = inflateReset(&stream) == Z_OK;
      return is_in_member;
    }
    for (; n_left() > 0; fill(1)) {
      if (n_left() == 1 && is_at_end && buffer[begin] == 0x1f) fail_data(in_file(path), cut_gzip);
      if (buffer[begin] != 0) {
        damage =
            "bytes that are no gzip data follow its gzip data; cut them off, unless they are a damaged part "
            "of the table";
        return true;
      }
      ++begin;
    }
    return false;
  }
};

ByteSource::ByteSource(std::string path, ReadingWatch watch)
    : path_(std::move(path)), watch_(std::move(watch)), handle_(std::make_unique<Handle>(path_)) {
  if (path_.empty()) fail_open(path_, "the name of the file is empty", "name a file");
  if (holds_zero_byte(path_)) fail_open(path_, zero_byte_words);
  const bool is_standard_input = path_ == standard_input_word;
  const int descriptor =
      is_standard_input ? open_standard_input() : open(path_.c_str(), O_RDONLY | O_CLOEXEC);
  if (is_standard_input) path_ = standard_input_name;
  if (descriptor < 0) fail_open(path_, errno == ENOENT ? "there is no such file" : std::strerror(errno));
  struct stat info {};
  const bool is_known = fstat(descriptor, &info) == 0;
  if (is_known && S_ISDIR(info.st_mode)) {
    close(descriptor);
    fail_open(path_, "it is a folder", "name a file");
  }
  const bool has_size = is_known && S_ISREG(info.st_mode);
  if (has_size) file_size_ = static_cast<std::uint64_t>(info.st_size);
  handle_->descriptor = descriptor;
  handle_->buffer.resize(has_size ? std::clamp<std::size_t>(file_size_, smallest_buffer, largest_buffer)
                                  : largest_buffer);
}

ByteSource::~ByteSource() = default;

std::size_t ByteSource::read_unpacked(char* into, std::size_t size, bool may_throw) {
  if (handle_->packing == Handle::Packing::unknown) handle_->find_packing();
  std::size_t n_read = 0;
  while (n_read < size) {
    const std::size_t wanted = std::min(size - n_read, bytes_between_looks);
    std::size_t got = 0;
    try {
      got = handle_->packing == Handle::Packing::gzip ? handle_->unpack(into + n_read, wanted)
                                                      : handle_->copy(into + n_read, wanted);
    } catch (const Error&) {
      if (n_read == 0 && may_throw) throw; // else what came before is still good; the next call throws
    }
    if (got == 0) break;
    n_read += got;
    look(got);
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
  return n_peeked + read_unpacked(into + n_peeked, size - n_peeked, n_peeked == 0);
}

std::string_view ByteSource::peek(std::size_t size) {
  size = std::min(size, longest_peek);
  if (peeked_.size() < size) {
    std::array<char, longest_peek> more{};
    peeked_.append(more.data(), read_unpacked(more.data(), size - peeked_.size(), peeked_.empty()));
  }
  return std::string_view(peeked_).substr(0, size);
}

double ByteSource::position() const {
  if (file_size_ == 0) return 0.0;
  const auto n_used = static_cast<double>(handle_->n_taken - handle_->n_left());
  return std::min(1.0, n_used / static_cast<double>(file_size_));
}

} // namespace lacuna
