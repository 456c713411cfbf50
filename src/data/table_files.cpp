#include "data/table_files.hpp"

#include <algorithm>
#include <filesystem>

#include <glob.h>

#include "core/files.hpp"
#include "data/messages.hpp"
#include "lacuna/core/errors.hpp"

namespace lacuna {

namespace {

[[noreturn]] void fail_pattern(const std::string& pattern, const std::string& what,
                               const std::string& remedy) {
  ErrorParts parts;
  parts.place = in_file(pattern);
  parts.statement = what;
  parts.remedy = remedy;
  throw Error(ErrorKind::no_input, std::move(parts));
}

bool is_pattern(const std::string& name) {
  if (name.find_first_of("*?[") == std::string::npos || holds_zero_byte(name)) return false;
  std::error_code ignored;
  return !std::filesystem::exists(std::filesystem::symlink_status(name, ignored));
}

struct Matches {
  glob_t found{};
  ~Matches() { globfree(&found); }
};

} // namespace

std::vector<std::string> table_files(const std::string& name) {
  if (!is_pattern(name)) return {name};
  Matches matches;
  const int code = glob(name.c_str(), GLOB_ERR | GLOB_NOSORT, nullptr, &matches.found);
  if (code == GLOB_NOSPACE) throw std::bad_alloc();
  if (code == GLOB_ABORTED) fail_pattern(name, "a folder of this pattern cannot be read", "");
  std::vector<std::string> paths;
  if (code == 0)
    for (std::size_t i = 0; i < matches.found.gl_pathc; ++i) paths.emplace_back(matches.found.gl_pathv[i]);
  std::erase_if(paths, [](const std::string& path) { return is_part_file(path); });
  if (paths.empty())
    fail_pattern(name, "there is no such file, and none that this pattern matches",
                 "check the name; a pattern is looked up from the folder that the command runs in");
  std::ranges::sort(paths);
  return paths;
}

bool share_a_file(const std::string& a, const std::string& b) {
  const std::vector<std::string> of_b = table_files(b);
  return std::ranges::any_of(table_files(a), [&](const std::string& one) {
    return std::ranges::any_of(of_b, [&](const std::string& other) {
      std::error_code ignored;
      return one == other || std::filesystem::equivalent(one, other, ignored);
    });
  });
}

} // namespace lacuna
