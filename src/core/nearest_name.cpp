#include "core/nearest_name.hpp"

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <utility>

namespace lacuna {

namespace {

// Long names and very wide tables are not worth the quadratic search.
constexpr std::size_t longest_name = 60;
constexpr std::size_t most_names = 2000;
/// So many letters of the beginning of a name stand for it, where no other one begins with them.
constexpr std::size_t shortest_beginning = 3;

/// Letters to insert, delete or replace until one word is the other, ignoring case.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  const auto lower = [](char c) { return std::tolower(static_cast<unsigned char>(c)); };
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = std::exchange(row[0], i);
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = diagonal + (lower(a[i - 1]) == lower(b[j - 1]) ? 0 : 1);
      diagonal = std::exchange(row[j], std::min({row[j] + 1, row[j - 1] + 1, replaced}));
    }
  }
  return row[b.size()];
}

} // namespace

std::string nearest_name(std::string_view typed, const std::vector<std::string>& names) {
  if (typed.size() > longest_name) return {};
  std::size_t best = std::max<std::size_t>(1, typed.size() / 3) + 1;
  std::string_view nearest;
  std::string_view begun;
  std::size_t n_begun = 0;
  for (std::size_t i = 0; i < std::min(names.size(), most_names); ++i) {
    const std::string& name = names[i];
    if (name.size() > longest_name) continue;
    if (typed.size() >= shortest_beginning && name.starts_with(typed)) {
      begun = name;
      ++n_begun;
    }
    const std::size_t distance = edit_distance(typed, name);
    if (distance >= best || distance >= name.size()) continue;
    best = distance;
    nearest = name;
  }
  return std::string(nearest.empty() && n_begun == 1 ? begun : nearest);
}

} // namespace lacuna
