#pragma once

#include <string_view>

namespace lacuna {

/// Whether a trimmed cell is a date, perhaps with a time behind it, as databases and spreadsheets write them:
/// 2024-03-05, 2024-03-05T12:30:00Z, 05.03.2024, 3/5/24, 05-MAR-24.
bool is_date(std::string_view cell);

} // namespace lacuna
