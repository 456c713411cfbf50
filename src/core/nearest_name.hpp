#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace lacuna {

/// The one of `names` that was probably meant by what was typed; empty: none is close.
std::string nearest_name(std::string_view typed, const std::vector<std::string>& names);

} // namespace lacuna
