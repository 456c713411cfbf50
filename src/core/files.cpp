#include "core/files.hpp"

#include <cerrno>
#include <cstring>
#include <filesystem>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lacuna/core/errors.hpp"

namespace lacuna {

namespace {

[[noreturn]] void fail(const std::string& path, const std::string& reason, const std::string& remedy = "") {
  ErrorParts parts;
  parts.place.file = path;
  parts.statement = "it cannot be written: " + reason;
  parts.remedy = remedy;
  throw Error(ErrorKind::cannot_write, std::move(parts));
}

[[noreturn]] void fail_taken(const std::string& path) {
  fail(path, "it exists already", "choose another name or pass " + mention("force") + " to replace it");
}

// Where the file really goes. A link is followed, as every other program does; renaming onto it would
// replace the link and leave its target as it was.
std::string resolve_link(const std::string& path) {
  std::error_code unresolvable;
  const auto target = std::filesystem::canonical(path, unresolvable);
  return unresolvable ? path : target.string();
}

// A descriptor beyond the standard ones. Where the caller runs with one of these closed, whatever is written
// to "stderr" would else become part of the file.
int beyond_standard(int descriptor) {
  if (descriptor < 0 || descriptor > STDERR_FILENO) return descriptor;
  const int other = fcntl(descriptor, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
  const int code = errno;
  close(descriptor);
  errno = code;
  return other;
}

// Opens a new file beside `path`. One that a killed run left behind is stepped over: in a container its
// process number may well be ours again.
int open_temporary(const std::string& path, std::string& temporary_path) {
  constexpr int max_attempts = 100;
  for (int attempt = 0;; ++attempt) {
    temporary_path = path + ".part-" + std::to_string(getpid()) + "-" + std::to_string(attempt);
    const int descriptor =
        beyond_standard(open(temporary_path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
    if (descriptor >= 0) return descriptor;
    if (errno == ENOENT) fail(path, "its folder does not exist", "create it first");
    if (errno != EEXIST || attempt == max_attempts) fail(path, std::strerror(errno));
  }
}

// Makes the new name itself survive a power cut. The file is complete by now, and some file systems cannot
// do this: no reason to fail.
void sync_folder_of(const std::string& path) {
  const auto folder = std::filesystem::path(path).parent_path();
  const int descriptor = open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return;
  fsync(descriptor);
  close(descriptor);
}

} // namespace

AtomicFile::AtomicFile(std::string path, bool overwrite) : path_(std::move(path)), overwrite_(overwrite) {
  if (path_.empty()) fail(path_, "the name is empty", "name a file");
  struct stat old {};
  const bool is_taken = lstat(path_.c_str(), &old) == 0;
  if (is_taken && S_ISLNK(old.st_mode) && stat(path_.c_str(), &old) == 0) path_ = resolve_link(path_);
  if (is_taken && S_ISDIR(old.st_mode)) fail(path_, "it is a folder", "name a file");
  if (is_taken && !overwrite) fail_taken(path_);
  // Renaming onto /dev/null would replace the device by a file, for everybody.
  const bool is_file = S_ISREG(old.st_mode);
  if (is_taken && !is_file && !S_ISLNK(old.st_mode)) fail(path_, "it is a device or a pipe", "name a file");

  const int descriptor = open_temporary(path_, temporary_path_);
  file_ = fdopen(descriptor, "wb");
  if (file_ == nullptr) {
    const int code = errno;
    close(descriptor);
    unlink(temporary_path_.c_str());
    fail(path_, std::strerror(code));
  }
  // Whoever made the old file private wants the new one private too.
  if (is_taken && is_file) fchmod(descriptor, old.st_mode & 0777U);
}

AtomicFile::~AtomicFile() {
  if (file_ != nullptr) std::fclose(file_);
  if (!temporary_path_.empty()) unlink(temporary_path_.c_str());
  if (!old_path_.empty()) unlink(old_path_.c_str());
}

void AtomicFile::write(std::string_view bytes) {
  if (file_ == nullptr) throw Error(ErrorKind::internal, "'" + path_ + "' is written to after its commit");
  if (std::fwrite(bytes.data(), 1, bytes.size(), file_) != bytes.size()) fail(path_, std::strerror(errno));
}

void AtomicFile::commit() {
  complete();
  put_in_place();
  settle();
}

void AtomicFile::complete() {
  if (file_ == nullptr) throw Error(ErrorKind::internal, "'" + path_ + "' is committed twice");
  // A failed write may have been swallowed by whoever called it; the stream remembers.
  if (std::ferror(file_) != 0) fail(path_, "an earlier write failed");
  if (std::fflush(file_) != 0 || fsync(fileno(file_)) != 0) fail(path_, std::strerror(errno));
  const int closed = std::fclose(file_);
  file_ = nullptr;
  if (closed != 0) fail(path_, std::strerror(errno));
}

void AtomicFile::keep_old() {
  const std::string old_path = temporary_path_ + "-old";
  if (link(path_.c_str(), old_path.c_str()) == 0)
    old_path_ = old_path;
  else
    is_new_ = errno == ENOENT;
  // Else this file system has no second names, and what is put in place stays there.
}

void AtomicFile::put_in_place() {
  rename_to_path();
  temporary_path_.clear();
}

void AtomicFile::take_back() {
  if (!old_path_.empty()) std::rename(old_path_.c_str(), path_.c_str());
  old_path_.clear(); // should that fail, the old file is still there under its second name
  if (is_new_) unlink(path_.c_str());
}

void AtomicFile::settle() {
  if (!old_path_.empty()) unlink(old_path_.c_str());
  old_path_.clear();
  sync_folder_of(path_);
}

void commit_together(const std::vector<AtomicFile*>& files) {
  for (AtomicFile* const file : files) file->complete();
  std::size_t n_in_place = 0;
  try {
    for (AtomicFile* const file : files) {
      if (files.size() > 1) file->keep_old();
      file->put_in_place();
      ++n_in_place;
    }
  } catch (...) {
    while (n_in_place > 0) files[--n_in_place]->take_back();
    throw;
  }
  for (AtomicFile* const file : files) file->settle();
}

void AtomicFile::rename_to_path() {
  if (!overwrite_) {
    // Another program may have taken the name since the constructor looked.
    if (renameat2(AT_FDCWD, temporary_path_.c_str(), AT_FDCWD, path_.c_str(), RENAME_NOREPLACE) == 0) return;
    if (errno == EEXIST) fail_taken(path_);
    // EINVAL, ENOSYS: this file system cannot promise it. Then the constructor's look has to do.
    if (errno != EINVAL && errno != ENOSYS) fail(path_, std::strerror(errno));
  }
  if (std::rename(temporary_path_.c_str(), path_.c_str()) != 0) fail(path_, std::strerror(errno));
}

void make_folder(const std::string& path) {
  std::error_code problem;
  std::filesystem::create_directories(path, problem);
  if (std::filesystem::is_directory(path)) return;
  ErrorParts parts;
  parts.statement = "cannot make the folder '" + path +
                    "': " + (problem ? problem.message() : std::string("a file of that name is in the way"));
  throw Error(ErrorKind::cannot_write, std::move(parts));
}

} // namespace lacuna
