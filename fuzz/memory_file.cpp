// The linker leads calls of open, fstat, read and close from lacuna to those here (fuzz/CMakeLists.txt).
#include "memory_file.hpp"

#include <algorithm>
#include <array>
#include <cstdarg>
#include <cstdlib>
#include <optional>

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/types.h>

namespace {

constexpr std::string_view path_start = "memory:";
constexpr int first_descriptor = 1 << 24; // no real one is as large

using Bytes = std::string_view;

std::array<std::optional<Bytes>, 4> files;
std::array<std::optional<Bytes>, 16> readers; ///< what each has still to read

/// A place in one of these arrays that nobody has.
template <typename Places>
std::size_t take(Places& places, Bytes bytes) {
  const auto found = std::find(places.begin(), places.end(), std::nullopt);
  if (found == places.end()) std::abort();
  *found = bytes;
  return static_cast<std::size_t>(found - places.begin());
}

std::optional<Bytes>& reader(int descriptor) {
  return readers.at(static_cast<std::size_t>(descriptor - first_descriptor));
}

} // namespace

MemoryFile::MemoryFile(const std::uint8_t* bytes, std::size_t size)
    : place_(take(files, {reinterpret_cast<const char*>(bytes), size})),
      path_(std::string(path_start) + static_cast<char>('0' + place_)) {}

MemoryFile::~MemoryFile() {
  files.at(place_).reset();
}

extern "C" {

int __real_open(const char* path, int flags, ...);
int __real_fstat(int descriptor, struct stat* info);
ssize_t __real_read(int descriptor, void* into, std::size_t size);
int __real_close(int descriptor);

int __wrap_open(const char* path, int flags, ...) {
  const std::string_view name(path);
  if (name.starts_with(path_start) && name.size() == path_start.size() + 1)
    return first_descriptor +
           static_cast<int>(take(readers, files.at(static_cast<std::size_t>(name.back() - '0')).value()));
  if ((flags & O_CREAT) == 0) return __real_open(path, flags);
  std::va_list arguments;
  va_start(arguments, flags);
  const mode_t mode = va_arg(arguments, mode_t);
  va_end(arguments);
  return __real_open(path, flags, mode);
}

int __wrap_fstat(int descriptor, struct stat* info) {
  if (descriptor < first_descriptor) return __real_fstat(descriptor, info);
  *info = {};
  info->st_mode = S_IFREG | 0600;
  info->st_size = static_cast<off_t>(reader(descriptor)->size());
  return 0;
}

ssize_t __wrap_read(int descriptor, void* into, std::size_t size) {
  if (descriptor < first_descriptor) return __real_read(descriptor, into, size);
  Bytes& left = reader(descriptor).value();
  const std::size_t n = left.copy(static_cast<char*>(into), size);
  left.remove_prefix(n);
  return static_cast<ssize_t>(n);
}

int __wrap_close(int descriptor) {
  if (descriptor < first_descriptor) return __real_close(descriptor);
  reader(descriptor).reset();
  return 0;
}
}
