#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "lacuna/core/errors.hpp"

namespace lacuna {

/// Throws Error(data): what is wrong at a place, and what to do about it.
[[noreturn]] void fail_data(Place place, std::string statement, std::string remedy = "");
/// The same where a value was found and another one expected.
[[noreturn]] void fail_value(Place place, std::string found, std::string expected, std::string remedy = "");
/// Throws Error(usage) about an option.
[[noreturn]] void fail_option(const std::string& option, std::string statement, std::string remedy = "");
/// Throws Error(data): the file is not what it was when its reading began.
[[noreturn]] void fail_changed(const std::string& path);

/// What to do about text in another encoding.
inline constexpr const char* convert_remedy = "convert the file, for example with iconv";

/// A whole file as a place.
Place in_file(const std::string& path);
/// A column of a file as a place; `column` as in_quotes shows it, without the quotes.
Place in_column(const std::string& path, std::string_view column);

/// The text in single quotes, made safe for a message: cut when long, odd bytes as escapes.
std::string in_quotes(std::string_view text);

/// "'a', 'b', 'c'", cut after 20 names.
std::string name_list(const std::vector<std::string>& names);

/// "did you mean 'income'?" when one of `names` is close to `name`, otherwise nothing.
std::string nearest_name_hint(std::string_view name, const std::vector<std::string>& names);

/// The name as one types it in a shell, for remedies.
std::string shell_word(std::string_view name);

bool is_valid_utf8(std::string_view text);

} // namespace lacuna
