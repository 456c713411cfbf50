#pragma once

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

/// What a subcommand writes, opened before the work begins so that a bad name shows at once. "-" is stdout; a
/// file appears under its name only after commit().
class Output {
public:
  /// `inputs` are files that the same command reads: replacing one of them is never meant.
  Output(const std::string& path, bool overwrite, const std::vector<std::string>& inputs);

  bool is_stdout() const { return file_ == nullptr; }
  void write(std::string_view bytes);
  void commit();

private:
  std::unique_ptr<AtomicFile> file_;
};

/// The same for a document that may not be wanted at all: null when `path` is empty.
std::unique_ptr<Output> open_optional(const std::string& path, bool overwrite,
                                      const std::vector<std::string>& inputs);

} // namespace lacuna::cli
