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

/// Takes descriptors 0 to 2 where whoever started us closed them (`lacuna fit ... 2>&-`): the next file that
/// is opened would else be one of them, and get our messages. To be called before anything is opened.
void take_standard_descriptors();

/// Data, on stdout: as it is, but a terminal gets it as people may see it. Throws Error(cannot_write) when it
/// cannot be written, and OutputClosed.
void print(std::string_view text);

/// A file that a command reads or writes, and what its user calls it: "TRAIN", mention("json").
struct NamedFile {
  std::string name;
  std::string path; ///< may be empty: there is none
};

/// Throws Error(usage) when an output is a file that the same command reads, or two outputs are one file,
/// whatever links lead there: one of them would be lost.
void keep_apart(const std::vector<NamedFile>& inputs, const std::vector<NamedFile>& outputs);

/// Throws Error(usage) when an output is where a folder is to be, or above it: nothing can be both.
void keep_off(const NamedFile& output, const NamedFile& folder);
/// The same also when it lies in the folder, all of whose files are the command's own.
void keep_outside(const NamedFile& output, const NamedFile& folder);

/// A document that a command writes, opened before the work begins so that a bad name shows at once. "-" is
/// stdout; a file appears under its name only after commit(). One without a name is not wanted, and nothing
/// comes of it.
class Output {
public:
  Output(const std::string& path, bool overwrite);

  bool is_wanted() const { return is_stdout_ || file_ != nullptr; }
  bool is_stdout() const { return is_stdout_; }
  void write(std::string_view bytes);
  /// Where it goes to a file: for who commits it beside others; else null.
  AtomicFile* file() const { return file_.get(); }

private:
  bool is_stdout_ = false;
  std::unique_ptr<AtomicFile> file_;
};

/// Ends the documents of a command: all of its files appear, or none.
void commit_together(const std::vector<Output*>& outputs);

/// What people read beside the files of a command: on stdout, unless one of the documents goes there. Where
/// stdout is closed, or quiet is wanted, nobody wants to read it.
void print_beside(std::initializer_list<const Output*> documents, const std::string& text);

} // namespace lacuna::cli
