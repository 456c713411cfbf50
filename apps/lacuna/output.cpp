#include "output.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "console.hpp"
#include "data/table_files.hpp"
#include "exit_codes.hpp"
#include "lacuna/core/errors.hpp"
#include "text.hpp"

namespace lacuna::cli {

namespace {

bool stdout_was_closed = false;

bool is_closed(int descriptor) {
  return fcntl(descriptor, F_GETFD) == -1 && errno == EBADF;
}

namespace fs = std::filesystem;

/// Where a file or folder is or will be, whatever links its folders are. A link is followed also when it
/// leads to nothing yet, as an AtomicFile does.
fs::path place_of(const std::string& path) {
  constexpr int max_links = 40; // as the kernel has it
  std::error_code problem;
  fs::path whole = fs::absolute(path, problem);
  if (!whole.has_filename()) whole = whole.parent_path(); // "folder/"
  if (whole.filename() == "." || whole.filename() == "..") return fs::weakly_canonical(whole, problem);
  for (int i = 0; i < max_links; ++i) {
    const fs::path next = fs::read_symlink(whole, problem);
    if (problem) break;
    whole = whole.parent_path() / next;
  }
  const fs::path folder = fs::weakly_canonical(whole.parent_path(), problem);
  return problem ? whole.lexically_normal() : folder / whole.filename();
}

/// The same place is the same name in the same folder: a folder may be mounted at two places.
bool are_one_place(const fs::path& a, const fs::path& b) {
  std::error_code problem;
  const bool is_one_folder = fs::equivalent(a.parent_path(), b.parent_path(), problem);
  return a == b || (!problem && is_one_folder && a.filename() == b.filename());
}

/// Whether the one is the other, or lies somewhere below it.
bool lies_in(const fs::path& path, const fs::path& folder) {
  return std::mismatch(folder.begin(), folder.end(), path.begin(), path.end()).first == folder.end();
}

bool are_one_file(const std::string& a, const std::string& b) {
  if (a == "-" || b == "-") return a == b;
  struct stat status_a {};
  struct stat status_b {};
  const bool is_there_a = stat(a.c_str(), &status_a) == 0;
  const bool is_there_b = stat(b.c_str(), &status_b) == 0;
  if (is_there_a && is_there_b)
    return status_a.st_dev == status_b.st_dev && status_a.st_ino == status_b.st_ino;
  return is_there_a == is_there_b && are_one_place(place_of(a), place_of(b));
}

[[noreturn]] void refuse_shared(const NamedFile& a, const NamedFile& b, const std::string& why) {
  const std::string path = a.path == b.path ? "'" + a.path + "'" : "'" + a.path + "' and '" + b.path + "'";
  throw Error(ErrorKind::usage, a.name + " and " + b.name + " are one file, " + path + ", " + why +
                                    "; choose another name for one of them");
}

void print_exactly(std::string_view text) {
  if (stdout_was_closed)
    throw Error(ErrorKind::cannot_write, "cannot write to standard output: it is closed");
  errno = 0;
  if (std::fwrite(text.data(), 1, text.size(), stdout) == text.size() && std::fflush(stdout) == 0) return;
  if (errno == EPIPE) throw OutputClosed{};
  throw Error(ErrorKind::cannot_write,
              std::string("cannot write to standard output: ") + std::strerror(errno));
}

} // namespace

void take_standard_descriptors() {
  for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (!is_closed(descriptor)) continue;
    if (descriptor == STDOUT_FILENO) stdout_was_closed = true;
    // The lowest free number is the one that is missing, since those below are taken.
    if (open("/dev/null", O_RDWR) != descriptor) _exit(exit_code(ErrorKind::cannot_write));
  }
}

void keep_apart(const std::vector<NamedFile>& inputs, const std::vector<NamedFile>& outputs) {
  const NamedFile* from_stdin = nullptr;
  for (const NamedFile& input : inputs) {
    if (input.path != "-") continue;
    if (from_stdin != nullptr)
      throw Error(ErrorKind::usage, from_stdin->name + " and " + input.name +
                                        " are both '-', but there is one standard input; save one to a file");
    from_stdin = &input;
  }
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const NamedFile& output = outputs[i];
    if (output.path.empty()) continue;
    for (const NamedFile& input : inputs) {
      if (input.path == "-" || input.path.empty()) continue;
      for (const std::string& path : table_files(input.path))
        if (are_one_file(path, output.path))
          refuse_shared({input.name, path}, output, "which cannot be read and written by one command");
    }
    for (std::size_t j = 0; j < i; ++j)
      if (!outputs[j].path.empty() && are_one_file(outputs[j].path, output.path))
        refuse_shared(outputs[j], output, "which can hold only one of them");
  }
}

void keep_outside(const NamedFile& output, const NamedFile& folder) {
  if (output.path.empty() || output.path == "-") return;
  const fs::path place = place_of(output.path);
  const fs::path kept = place_of(folder.path);
  if (!lies_in(place, kept) && !lies_in(kept, place)) return;
  throw Error(ErrorKind::usage, output.name + " '" + output.path + "' is in the way of " + folder.name +
                                    ", '" + folder.path +
                                    "', which holds other files; choose another name for it");
}

void keep_off(const NamedFile& output, const NamedFile& folder) {
  if (output.path.empty() || output.path == "-" || !lies_in(place_of(folder.path), place_of(output.path)))
    return;
  throw Error(ErrorKind::usage, output.name + " '" + output.path + "' is a file, and " + folder.name + " '" +
                                    folder.path +
                                    "' needs a folder there; choose another name for one of them");
}

void print(std::string_view text) {
  if (isatty(STDOUT_FILENO) == 1)
    print_exactly(shown(text));
  else
    print_exactly(text);
}

Output::Output(const std::string& path, bool overwrite) : is_stdout_(path == "-") {
  if (!is_stdout_ && !path.empty()) file_ = std::make_unique<AtomicFile>(path, overwrite);
}

void Output::write(std::string_view bytes) {
  if (file_)
    file_->write(bytes);
  else if (is_stdout_)
    print(bytes);
}

void commit_together(const std::vector<Output*>& outputs) {
  std::vector<AtomicFile*> files;
  for (const Output* const output : outputs)
    if (output->file() != nullptr) files.push_back(output->file());
  lacuna::commit_together(files);
}

void print_beside(std::initializer_list<const Output*> documents, const std::string& text) {
  if (is_quiet()) return;
  const bool is_taken = std::any_of(documents.begin(), documents.end(),
                                    [](const Output* document) { return document->is_stdout(); });
  if (is_taken)
    std::fputs(shown(text).c_str(), stderr);
  else if (!stdout_was_closed)
    print(shown(text));
}

} // namespace lacuna::cli
