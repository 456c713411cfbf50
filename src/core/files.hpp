#pragma once

#include <cstdio>
#include <string>
#include <string_view>

#include "lacuna/core/version.hpp"

namespace LACUNA_API lacuna {

/// An output file that appears under its name only when it is complete: written beside it, synced, renamed.
/// If commit() is never reached, nothing is left behind and an older file stays as it was.
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
  void commit();

private:
  void rename_to_path();

  std::string path_;
  std::string temporary_path_;
  bool overwrite_;
  std::FILE* file_ = nullptr;
};

} // namespace lacuna
