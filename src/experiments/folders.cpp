#include "experiments/folders.hpp"

#include <fstream>
#include <iterator>

#include "core/files.hpp"

namespace lacuna {

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
