#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace lacuna {

[[noreturn]] void fail_data(const std::string& text);

/// The text in single quotes, made safe for a message: cut when long, odd bytes replaced.
std::string in_quotes(std::string_view text);

/// "'a', 'b', 'c'", cut after 20 names.
std::string name_list(const std::vector<std::string>& names);

/// "; did you mean 'income'?" when one of `names` is close to `name`, otherwise nothing.
std::string nearest_name_hint(std::string_view name, const std::vector<std::string>& names);

/// The name as one types it in a shell, for remedies.
std::string shell_word(std::string_view name);

bool is_valid_utf8(std::string_view text);

} // namespace lacuna
