#include "data/standard_input.hpp"

#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "data/messages.hpp"
#include "data/nameless_file.hpp"
#include "data/table_files.hpp"

namespace lacuna {

namespace {

/// There is one standard input for all.
struct KeptInput {
  int descriptor = -1; ///< from which it can be read again
  off_t beginning = 0;
  bool was_opened = false;
};
KeptInput input;

[[noreturn]] void fail_input(const char* statement, const char* remedy) {
  ErrorParts parts;
  parts.place = in_file(std::string(standard_input_name));
  parts.statement = statement;
  parts.remedy = remedy;
  throw Error(ErrorKind::no_input, std::move(parts));
}

int duplicate(int descriptor) {
  const int copy = fcntl(descriptor, F_DUPFD_CLOEXEC, 0);
  if (copy < 0) fail_input(std::strerror(errno), "");
  return copy;
}

void write_all(int descriptor, const char* bytes, std::size_t n_left, const std::string& folder) {
  while (n_left > 0) {
    const ssize_t written = write(descriptor, bytes, n_left);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) fail_nameless(folder, std::strerror(errno));
    bytes += written;
    n_left -= static_cast<std::size_t>(written);
  }
}

/// All that a pipe brings.
void copy_input(int into, const std::string& folder, Observer& observer) {
  std::array<char, 65536> buffer{};
  for (;;) {
    stop_if_cancelled(observer);
    const ssize_t got = read(STDIN_FILENO, buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail_input(std::strerror(errno), "");
    if (got == 0) return;
    write_all(into, buffer.data(), static_cast<std::size_t>(got), folder);
  }
}

} // namespace

int open_standard_input() {
  if (input.descriptor >= 0) {
    lseek(input.descriptor, input.beginning, SEEK_SET);
    return duplicate(input.descriptor);
  }
  if (input.was_opened) fail_input("it was read already", "save it to a file to read it twice");
  input.was_opened = true;
  return duplicate(STDIN_FILENO);
}

void keep_standard_input(Observer& observer) {
  if (input.descriptor >= 0 || input.was_opened) return;
  struct stat info {};
  if (fstat(STDIN_FILENO, &info) == 0 && S_ISREG(info.st_mode)) {
    input.beginning = lseek(STDIN_FILENO, 0, SEEK_CUR);
    input.descriptor = duplicate(STDIN_FILENO);
    return;
  }
  const std::string folder = nameless_folder();
  const int file = open_nameless(folder);
  if (file < 0) fail_nameless(folder, std::strerror(errno));
  try {
    copy_input(file, folder, observer);
  } catch (...) {
    close(file);
    throw;
  }
  input.descriptor = file;
}

void require_rereadable(const std::string& table, const std::string& why, Observer& observer) {
  if (table == standard_input_word) return keep_standard_input(observer);
  for (const std::string& path : table_files(table)) {
    std::error_code ignored;
    if (!std::filesystem::exists(path, ignored) || std::filesystem::is_directory(path, ignored) ||
        std::filesystem::is_regular_file(path, ignored))
      continue;
    ErrorParts parts;
    parts.place = in_file(path);
    parts.statement = "it is a pipe or a device, but " + why;
    parts.remedy = "save it to a file first, or name it - and let it be the standard input";
    throw Error(ErrorKind::no_input, std::move(parts));
  }
}

} // namespace lacuna
