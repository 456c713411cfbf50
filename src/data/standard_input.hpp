#pragma once

#include <string>
#include <string_view>

#include "lacuna/core/observer.hpp"

namespace lacuna {

/// What people write where standard input is to be read, and what they are told about it.
inline constexpr std::string_view standard_input_word = "-";
inline constexpr std::string_view standard_input_name = "standard input";

/// A descriptor that reads standard input from where it began, to be closed by the caller. Throws
/// Error(no_input) when it was read before and not kept.
int open_standard_input();

/// Makes it possible to open standard input several times, one after the other: what a pipe brings is copied
/// to a file without a name. Throws Error(cannot_write).
void keep_standard_input(Observer& observer);

/// For who reads a table several times: keeps standard input, and throws Error(no_input) with the reason
/// `why` where the table is another pipe or a device.
void require_rereadable(const std::string& table, const std::string& why, Observer& observer);

} // namespace lacuna
