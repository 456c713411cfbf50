#pragma once

#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/files.hpp"

namespace lacuna::cli {

/// Thrown when whoever reads our standard output has gone away (`lacuna predict ... | head`): no error, but
/// no reason to go on.
struct OutputClosed {};

/// Data, on stdout. Throws Error(cannot_write) when it cannot be written, and OutputClosed.
void print(std::string_view text);

/// A document that a command writes, opened before the work begins so that a bad name shows at once. "-" is
/// stdout; a file appears under its name only after commit(). One without a name is not wanted, and nothing
/// comes of it.
class Output {
public:
  /// `inputs` are files that the same command reads: replacing one of them is never meant.
  Output(const std::string& path, bool overwrite, const std::vector<std::string>& inputs);

  bool is_wanted() const { return is_stdout_ || file_ != nullptr; }
  bool is_stdout() const { return is_stdout_; }
  void write(std::string_view bytes);
  void commit();
  /// The whole document.
  void finish(std::string_view bytes);

private:
  bool is_stdout_ = false;
  std::unique_ptr<AtomicFile> file_;
};

/// What people read: on stdout, unless one of the documents goes there.
void print_beside(std::initializer_list<const Output*> documents, const std::string& text);

} // namespace lacuna::cli
