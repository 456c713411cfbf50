#pragma once

#include <cstddef>

#include "lacuna/core/version.hpp"

namespace LACUNA_API lacuna {

/// put_number needs room for so many bytes, though it may use fewer.
inline constexpr std::size_t longest_number = 24;

inline constexpr int all_digits = 17;

/// Writes the shortest digits that read back as the same double, in every locale, and returns their end. What
/// fmt writes for "{}", sooner: a file of predictions is made of little else. Where these are more than
/// `digits`, they are rounded.
char* put_number(char* to, double value, int digits = all_digits);

} // namespace lacuna
