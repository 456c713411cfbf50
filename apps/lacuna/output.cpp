#include "output.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>

#include "lacuna/core/errors.hpp"

namespace lacuna::cli {

void print(std::string_view text) {
  errno = 0;
  if (std::fwrite(text.data(), 1, text.size(), stdout) == text.size() && std::fflush(stdout) == 0) return;
  if (errno == EPIPE) throw OutputClosed{};
  throw Error(ErrorKind::cannot_write,
              std::string("cannot write to standard output: ") + std::strerror(errno));
}

Output::Output(const std::string& path, bool overwrite, const std::vector<std::string>& inputs)
    : is_stdout_(path == "-") {
  if (is_stdout_ || path.empty()) return;
  std::error_code ignored;
  for (const std::string& input : inputs)
    if (std::filesystem::equivalent(input, path, ignored))
      throw Error(ErrorKind::usage, "'" + path + "' is read and cannot be written by the same command; " +
                                        "choose another name for the output");
  file_ = std::make_unique<AtomicFile>(path, overwrite);
}

void Output::write(std::string_view bytes) {
  if (file_)
    file_->write(bytes);
  else if (is_stdout_)
    print(bytes);
}

void Output::commit() {
  if (file_) file_->commit();
}

void Output::finish(std::string_view bytes) {
  write(bytes);
  commit();
}

void print_beside(std::initializer_list<const Output*> documents, const std::string& text) {
  const bool is_taken = std::any_of(documents.begin(), documents.end(),
                                    [](const Output* document) { return document->is_stdout(); });
  if (is_taken)
    std::fputs(text.c_str(), stderr);
  else
    print(text);
}

} // namespace lacuna::cli
