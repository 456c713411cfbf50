#include "data/row_spool.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "data/nameless_file.hpp"
#include "lacuna/core/errors.hpp"
#include "math/moments.hpp"

namespace lacuna {

namespace {

constexpr std::size_t buffer_values = 128UL * 1024UL;

/// What is known before the work must not show only after it.
void require_room(const std::string& folder, int descriptor, double n_bytes) {
  struct statvfs info {};
  if (fstatvfs(descriptor, &info) != 0) return;
  const double n_free = static_cast<double>(info.f_bavail) * static_cast<double>(info.f_frsize);
  constexpr double gigabyte = 1e9;
  if (n_free < n_bytes)
    fail_nameless(folder, fmt::format("they take {:.1f} GB, and {:.1f} GB are free", n_bytes / gigabyte,
                                      n_free / gigabyte));
}

} // namespace

RowSpool::RowSpool(Index n_rows, Index n_columns) : folder_(nameless_folder()), n_columns_(n_columns) {
  buffer_.reserve(buffer_values + static_cast<std::size_t>(n_columns));
  descriptor_ = open_nameless(folder_);
  if (descriptor_ < 0) fail_nameless(folder_, std::strerror(errno));
  try {
    require_room(folder_, descriptor_,
                 static_cast<double>(n_rows) * static_cast<double>(n_columns) * sizeof(double));
  } catch (...) {
    close(descriptor_);
    throw;
  }
}

RowSpool::~RowSpool() {
  close(descriptor_);
}

void RowSpool::add(const double* row) {
  buffer_.insert(buffer_.end(), row, row + n_columns_);
  if (!first_gap_ && has_missing({row, static_cast<std::size_t>(n_columns_)})) first_gap_ = n_rows_;
  ++n_rows_;
  if (buffer_.size() >= buffer_values) flush();
}

void RowSpool::finish() {
  flush();
  buffer_ = {};
}

void RowSpool::flush() {
  const char* bytes = reinterpret_cast<const char*>(buffer_.data());
  std::size_t n_left = buffer_.size() * sizeof(double);
  while (n_left > 0) {
    const ssize_t written = write(descriptor_, bytes, n_left);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) fail_nameless(folder_, std::strerror(errno));
    bytes += written;
    n_left -= static_cast<std::size_t>(written);
  }
  buffer_.clear();
}

void RowSpool::read(Index first, Index n, Matrix& into) const {
  if (into.n_rows() != n || into.n_cols() != n_columns_) into = Matrix(n, n_columns_);
  char* bytes = reinterpret_cast<char*>(into.values().data());
  std::size_t n_left = into.values().size_bytes();
  auto place = static_cast<off_t>(first * n_columns_) * static_cast<off_t>(sizeof(double));
  while (n_left > 0) {
    const ssize_t got = pread(descriptor_, bytes, n_left, place);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) {
      ErrorParts parts;
      parts.place.file = folder_;
      parts.statement = std::string("the temporary file with the rows of the table cannot be read: ") +
                        (got < 0 ? std::strerror(errno) : "it ends too early");
      throw Error(ErrorKind::no_input, std::move(parts));
    }
    bytes += got;
    place += got;
    n_left -= static_cast<std::size_t>(got);
  }
}

} // namespace lacuna
