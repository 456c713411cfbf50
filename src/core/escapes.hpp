#pragma once

#include <string>
#include <string_view>

#include "lacuna/core/version.hpp"

namespace LACUNA_API lacuna {

/// A foreign text as people may see it: what a terminal would obey (control characters, line ends, those that
/// turn the direction of writing) and bytes that are no UTF-8 become escapes (\x1b, \u202e). Those of `kept`
/// stay.
std::string escaped(std::string_view text, std::string_view kept = "");

} // namespace lacuna
