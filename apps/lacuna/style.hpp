#pragma once

#include <string>
#include <string_view>

namespace lacuna::cli {

// How the command line writes an option whose name in C++ is max_iterations: OptionStyle of the library.

/// "--max-iterations"
std::string flag_style(std::string_view option);
/// "max-iterations", in a configuration file and in records
std::string key_style(std::string_view option);

} // namespace lacuna::cli
