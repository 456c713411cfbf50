#include "experiments/folders.hpp"

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "core/files.hpp"

namespace lacuna {

namespace {

constexpr std::uintmax_t longest_content = std::uintmax_t{16} << 20U; // what lacuna writes has some kilobytes

} // namespace

std::optional<std::string> content_of(const std::string& path) {
  // A pipe that nobody serves would keep us waiting, and a device may never end.
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(path, ignored)) return std::nullopt;
  if (std::filesystem::file_size(path, ignored) > longest_content) return std::nullopt;
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
