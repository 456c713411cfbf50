#pragma once

namespace lacuna {

/// The version of the library, "major.minor.patch".
const char* version();

} // namespace lacuna
