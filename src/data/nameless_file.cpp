#include "data/nameless_file.hpp"

#include <cerrno>
#include <cstdlib>

#include <fcntl.h>
#include <unistd.h>

#include "lacuna/core/errors.hpp"

namespace lacuna {

std::string nameless_folder() {
  const char* const named = std::getenv("TMPDIR"); // NOLINT(concurrency-mt-unsafe): nobody sets it
  return named != nullptr && *named != '\0' ? named : "/var/tmp";
}

void fail_nameless(const std::string& folder, const std::string& reason) {
  ErrorParts parts;
  parts.place.file = folder;
  parts.statement = "a temporary file for the rows of the table cannot be written here: " + reason;
  parts.remedy = "name another folder with the environment variable TMPDIR";
  throw Error(ErrorKind::cannot_write, std::move(parts));
}

int open_nameless(const std::string& folder) {
  const int descriptor = open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  if (descriptor >= 0 || (errno != EOPNOTSUPP && errno != EISDIR && errno != EINVAL)) return descriptor;
  // A file system that knows only files with names.
  std::string name = folder + "/lacuna-rows-XXXXXX";
  const int named = mkostemp(name.data(), O_CLOEXEC);
  if (named >= 0) unlink(name.c_str());
  return named;
}

} // namespace lacuna
