#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

namespace lacuna {

/// Lets hash tables of strings be asked with a view, without a copy.
struct TextHash {
  // The standard library asks for this name.
  using is_transparent = void; // NOLINT(readability-identifier-naming)
  std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
};

template <typename Value>
using TextMap = std::unordered_map<std::string, Value, TextHash, std::equal_to<>>;
using TextSet = std::unordered_set<std::string, TextHash, std::equal_to<>>;

/// A column with more different texts than this is no category and no class.
inline constexpr std::size_t max_categories = 1'000;

} // namespace lacuna
