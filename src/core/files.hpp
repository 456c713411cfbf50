#pragma once

#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include "lacuna/core/version.hpp"

namespace LACUNA_API lacuna {

/// An output file that appears under its name only when it is complete: written beside it, synced, renamed.
/// If commit() is never reached, nothing is left behind and an older file stays as it was. A part file that a
/// killed process left in the same folder is removed; one whose process lives, or is held, never is.
class AtomicFile {
public:
  /// Throws Error(cannot_write) when the folder cannot be written to, the path exists and `overwrite` is
  /// false, or the path is a folder, device or pipe.
  AtomicFile(std::string path, bool overwrite);
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  /// Throws Error(cannot_write) when the bytes cannot be written (disk full).
  void write(std::string_view bytes);
  /// Replaces what was written first, by as many bytes: for a header that counts what follows it.
  void rewrite_beginning(std::string_view bytes);
  void commit();

private:
  friend void commit_together(const std::vector<AtomicFile*>& files);

  // The steps of a commit.
  void complete(); ///< all bytes are on the disk, under the temporary name
  void keep_old(); ///< under another name, for take_back()
  void put_in_place();
  void take_back(); ///< as if it had not been put in place
  void settle();    ///< nothing is taken back any more
  void rename_to_path();

  std::string path_;
  std::string temporary_path_;
  std::string old_path_; ///< the file that is replaced, while it may still come back
  bool is_new_ = false;  ///< nothing was there to be replaced
  bool overwrite_;
  std::FILE* file_ = nullptr;
  int part_ = -1; ///< its place in the list of remove_part_files()
};

/// Commits files that belong together: all are complete before the first appears under its name, and when one
/// cannot appear, those before it are taken back.
void commit_together(const std::vector<AtomicFile*>& files);

/// Removes what the files of this process that were not committed yet have on disk. For the handler of a
/// signal that ends the process: takes no lock and no memory.
void remove_part_files() noexcept;

/// True for the name that an AtomicFile has before it is complete.
bool is_part_file(const std::string& path);

/// True when a name holds a zero byte: the system would take what stands before it for the name.
bool holds_zero_byte(const std::string& path);
inline constexpr const char* zero_byte_words = "its name holds a zero byte, which no file's name can";

/// Makes a folder unless it is there. Throws Error(cannot_write).
void make_folder(const std::string& path);

} // namespace lacuna
