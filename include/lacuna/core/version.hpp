#pragma once

/// What stands in a namespace block with this mark is visible to users of a shared library, all else is not.
#define LACUNA_API [[gnu::visibility("default")]]

namespace LACUNA_API lacuna {

/// The version of the library, "major.minor.patch".
const char* version();

} // namespace lacuna
