#pragma once

#include <string>

namespace lacuna {

/// Where files without a name lie: the folder that TMPDIR names, else /var/tmp, which is on a disk; /tmp may
/// lie in memory.
std::string nameless_folder();

/// A new file that nobody else can see, and that is gone when it is closed; -1 and errno where there is none.
int open_nameless(const std::string& folder);

/// Throws Error(cannot_write): it cannot be written there.
[[noreturn]] void fail_nameless(const std::string& folder, const std::string& reason);

} // namespace lacuna
