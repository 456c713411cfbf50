#pragma once

#include <string>
#include <utility>
#include <vector>

#include "lacuna/pipeline/workflows.hpp"

namespace lacuna::python {

/// Settings by the names that the command line has for them, each with its texts.
using SettingTexts = std::vector<std::pair<std::string, std::vector<std::string>>>;

/// A request with these settings, applied in the order of the library's list. Throws Error(usage) for an
/// unknown name and for an option that the chosen family does not have.
FitRequest make_request(const SettingTexts& given);

} // namespace lacuna::python
