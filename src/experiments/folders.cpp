#include "experiments/folders.hpp"

#include <filesystem>
#include <fstream>
#include <iterator>

#include "core/files.hpp"
#include "lacuna/core/errors.hpp"

namespace lacuna {

void make_folder(const std::string& path) {
  std::error_code problem;
  std::filesystem::create_directories(path, problem);
  if (!std::filesystem::is_directory(path))
    throw Error(ErrorKind::cannot_write,
                "cannot make the folder '" + path +
                    "': " + (problem ? problem.message() : std::string("a file of that name is in the way")));
}

std::optional<std::string> content_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return std::nullopt;
  return std::string(std::istreambuf_iterator<char>(file), {});
}

void replace_file(const std::string& path, const std::string& text) {
  AtomicFile file(path, true);
  file.write(text);
  file.commit();
}

} // namespace lacuna
