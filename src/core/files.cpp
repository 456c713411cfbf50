#include "lacuna/core/files.hpp"

#include <cerrno>
#include <cstring>
#include <filesystem>

#include <fcntl.h>
#include <unistd.h>

#include "lacuna/core/errors.hpp"

namespace lacuna {

namespace {

[[noreturn]] void fail(const std::string& path, const std::string& reason) {
  throw Error(ErrorKind::cannot_write, "cannot write '" + path + "': " + reason);
}

} // namespace

AtomicFile::AtomicFile(std::string path, bool overwrite) : path_(std::move(path)) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path_, ignored)) fail(path_, "it is a folder; name a file");
  if (!overwrite && std::filesystem::exists(path_, ignored))
    fail(path_, "it exists already; choose another name or pass --force to replace it");
  temporary_path_ = path_ + ".part-" + std::to_string(getpid());
  const int descriptor = open(temporary_path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (descriptor < 0) {
    const int code = errno;
    temporary_path_.clear();
    fail(path_, std::strerror(code));
  }
  file_ = fdopen(descriptor, "wb");
}

AtomicFile::~AtomicFile() {
  if (file_ != nullptr) std::fclose(file_);
  if (!temporary_path_.empty()) unlink(temporary_path_.c_str());
}

void AtomicFile::write(std::string_view bytes) {
  if (std::fwrite(bytes.data(), 1, bytes.size(), file_) != bytes.size()) fail(path_, std::strerror(errno));
}

void AtomicFile::commit() {
  if (std::fflush(file_) != 0 || fsync(fileno(file_)) != 0) fail(path_, std::strerror(errno));
  const int closed = std::fclose(file_);
  file_ = nullptr;
  if (closed != 0) fail(path_, std::strerror(errno));
  if (std::rename(temporary_path_.c_str(), path_.c_str()) != 0) fail(path_, std::strerror(errno));
  temporary_path_.clear();
}

} // namespace lacuna
