#include "core/files.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <charconv>
#include <climits>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <optional>

#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
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

// Where the file really goes. A link is followed, as every other program does, also when it leads to nothing
// yet; renaming onto it would replace the link and leave its target as it was.
std::string resolve_link(const std::string& path) {
  constexpr int max_links = 40; // as the kernel has it
  std::filesystem::path target = path;
  for (int i = 0; i < max_links; ++i) {
    std::error_code is_no_link;
    const auto next = std::filesystem::read_symlink(target, is_no_link);
    if (is_no_link) return target.string();
    target = target.parent_path() / next;
  }
  fail(path, "it is a link that leads round in a circle", "name a file");
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

/// The part files of this process, where a signal handler can read them: plain bytes that stay where they
/// are. A file beyond the last place is written all the same, but no handler knows it.
struct PartPlace {
  std::atomic<bool> is_taken{false};
  std::atomic<bool> is_set{false};
  std::array<char, PATH_MAX> path{};
};
std::array<PartPlace, 32> part_places;

int enter_part(const std::string& path) {
  for (std::size_t i = 0; i < part_places.size() && path.size() < PATH_MAX; ++i) {
    PartPlace& place = part_places[i];
    if (place.is_taken.exchange(true)) continue;
    std::ranges::copy(path, place.path.begin());
    place.path[path.size()] = '\0';
    place.is_set = true;
    return static_cast<int>(i);
  }
  return -1;
}

void leave_part(int& part) {
  if (part < 0) return;
  PartPlace& place = part_places[static_cast<std::size_t>(part)];
  place.is_set = false;
  place.is_taken = false;
  part = -1;
}

constexpr std::string_view part_mark = ".part-";
constexpr std::string_view old_mark = "-old";
constexpr std::string_view own_mark = ".lacuna"; // before the other: nobody else's file looks like this

/// What a part file of `name` begins with; a name that is long already is cut, at a whole letter of UTF-8.
std::string part_stem(const std::string& name) {
  constexpr std::size_t longest = NAME_MAX - 40; // leaves room for the marks and two numbers
  std::size_t size = std::min(name.size(), longest);
  while (size > 0 && size < name.size() && (static_cast<unsigned char>(name[size]) & 0xC0U) == 0x80U) --size;
  return name.substr(0, size);
}

/// A whole number as std::to_string writes it.
std::optional<int> read_count(std::string_view digits) {
  int value = 0;
  const auto [end, problem] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (problem != std::errc() || end != digits.data() + digits.size()) return std::nullopt;
  if (value < 0 || std::to_string(value) != digits) return std::nullopt;
  return value;
}

/// The process that wrote a part file, by its name; nothing when it is no part file of lacuna's, or none of
/// this output's from before the name told whose it is.
std::optional<int> writer_of(std::string_view name, const std::string& stem) {
  const bool is_old = name.ends_with(old_mark); // a second name of what was about to be replaced
  if (is_old) name.remove_suffix(old_mark.size());
  const std::size_t place = name.rfind(part_mark);
  if (place == name.npos) return std::nullopt;
  const std::string_view before = name.substr(0, place);
  if (!before.ends_with(own_mark) && before != stem) return std::nullopt;
  const std::string_view numbers = name.substr(place + part_mark.size());
  const std::size_t dash = std::min(numbers.find('-'), numbers.size() - 1);
  if (numbers.empty() || !read_count(numbers.substr(dash + 1))) return std::nullopt;
  const std::optional<int> process = read_count(numbers.substr(0, dash));
  if (is_old && process == getpid()) return std::nullopt; // another thread's, which may still need it
  return process && *process > 0 ? process : std::nullopt;
}

/// True when one of this process's files that are not committed yet has this name, whatever its folder.
bool is_ours(std::string_view name) {
  return std::any_of(part_places.begin(), part_places.end(), [&](const PartPlace& place) {
    return place.is_set && std::string_view(place.path.data()).ends_with(name);
  });
}

/// True when nobody holds the file: where folders are shared, a process that is not on this machine may be
/// alive on another. It is held by us when `process` is our number and the file is ours.
bool is_abandoned(int folder, const char* name, int process) {
  if (is_ours(name)) return false; // complete and closed, perhaps, and about to get its name
  const bool is_dead = process == getpid() || (kill(process, 0) != 0 && errno == ESRCH);
  if (!is_dead) return false;
  const int descriptor = openat(folder, name, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  if (descriptor < 0) return false;
  struct stat info {};
  const bool is_free =
      fstat(descriptor, &info) == 0 && S_ISREG(info.st_mode) && flock(descriptor, LOCK_EX | LOCK_NB) == 0;
  close(descriptor);
  return is_free;
}

/// Removes the part files of killed processes in a folder. What cannot be removed stays: no reason to fail.
void remove_abandoned_parts(const std::string& folder_path, const std::string& stem) {
  DIR* const folder = opendir(folder_path.c_str());
  if (folder == nullptr) return;
  while (const dirent* const entry = readdir(folder)) {
    const std::optional<int> process = writer_of(entry->d_name, stem);
    if (process && is_abandoned(dirfd(folder), entry->d_name, *process))
      unlinkat(dirfd(folder), entry->d_name, 0);
  }
  closedir(folder);
}

/// Opens a new file beside `path` and holds it, so that others can see that its writer lives.
int open_temporary(const std::string& path, std::string& temporary_path) {
  constexpr int max_attempts = 100;
  const std::filesystem::path parts(path);
  const std::string stem = part_stem(parts.filename().string());
  const std::filesystem::path folder = parts.parent_path();
  remove_abandoned_parts(folder.empty() ? "." : folder.string(), stem);
  for (int attempt = 0;; ++attempt) {
    const std::string name = stem + std::string(own_mark) + std::string(part_mark) +
                             std::to_string(getpid()) + "-" + std::to_string(attempt);
    temporary_path = (folder / name).string();
    const int descriptor =
        beyond_standard(open(temporary_path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
    if (descriptor >= 0) {
      flock(descriptor, LOCK_EX | LOCK_NB);
      return descriptor;
    }
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
  if (holds_zero_byte(path_)) fail(path_, zero_byte_words);
  struct stat old {};
  const bool is_taken = lstat(path_.c_str(), &old) == 0;
  if (!is_taken && errno == ENAMETOOLONG)
    fail(path_, std::strerror(errno)); // a part file's name may be shorter
  if (is_taken && S_ISLNK(old.st_mode)) {
    path_ = resolve_link(path_);
    if (stat(path_.c_str(), &old) != 0) old = {}; // it leads to a file that is to be made
  }
  if (is_taken && S_ISDIR(old.st_mode)) fail(path_, "it is a folder", "name a file");
  if (is_taken && !overwrite) fail_taken(path_);
  // Renaming onto /dev/null would replace the device by a file, for everybody.
  const bool is_file = S_ISREG(old.st_mode);
  if (is_taken && !is_file && old.st_mode != 0) fail(path_, "it is a device or a pipe", "name a file");

  const int descriptor = open_temporary(path_, temporary_path_);
  part_ = enter_part(temporary_path_);
  file_ = fdopen(descriptor, "wb");
  if (file_ == nullptr) {
    const int code = errno;
    close(descriptor);
    unlink(temporary_path_.c_str());
    leave_part(part_);
    fail(path_, std::strerror(code));
  }
  // Whoever made the old file private wants the new one private too.
  if (is_taken && is_file) fchmod(descriptor, old.st_mode & 0777U);
}

AtomicFile::~AtomicFile() {
  if (file_ != nullptr) std::fclose(file_);
  if (!temporary_path_.empty()) unlink(temporary_path_.c_str());
  if (!old_path_.empty()) unlink(old_path_.c_str());
  leave_part(part_);
}

void AtomicFile::write(std::string_view bytes) {
  if (file_ == nullptr) throw Error(ErrorKind::internal, "'" + path_ + "' is written to after its commit");
  if (std::fwrite(bytes.data(), 1, bytes.size(), file_) != bytes.size()) fail(path_, std::strerror(errno));
}

void AtomicFile::rewrite_beginning(std::string_view bytes) {
  if (std::fseek(file_, 0, SEEK_SET) != 0) fail(path_, std::strerror(errno));
  write(bytes);
  if (std::fseek(file_, 0, SEEK_END) != 0) fail(path_, std::strerror(errno));
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
  const std::string old_path = temporary_path_ + std::string(old_mark);
  if (link(path_.c_str(), old_path.c_str()) == 0)
    old_path_ = old_path;
  else
    is_new_ = errno == ENOENT;
  // Else this file system has no second names, and what is put in place stays there.
}

void AtomicFile::put_in_place() {
  rename_to_path();
  temporary_path_.clear();
  leave_part(part_);
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

void remove_part_files() noexcept {
  for (const PartPlace& place : part_places)
    if (place.is_set) unlink(place.path.data());
}

bool is_part_file(const std::string& path) {
  const std::string name = std::filesystem::path(path).filename().string();
  return name.find(std::string(own_mark) + std::string(part_mark)) != name.npos;
}

bool holds_zero_byte(const std::string& path) {
  return path.find('\0') != std::string::npos;
}

void make_folder(const std::string& path) {
  if (holds_zero_byte(path)) fail(path, zero_byte_words);
  std::error_code problem;
  std::filesystem::create_directories(path, problem);
  std::error_code ignored; // of a circle of links, or a name that is too long: the first one says it
  if (std::filesystem::is_directory(path, ignored)) return;
  ErrorParts parts;
  parts.statement = "cannot make the folder '" + path +
                    "': " + (problem ? problem.message() : std::string("a file of that name is in the way"));
  throw Error(ErrorKind::cannot_write, std::move(parts));
}

} // namespace lacuna
