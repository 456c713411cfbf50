#pragma once

#include <string>

namespace lacuna::python {

/// A text of the library, which speaks of options as the command line spells them ("--max-iterations"), with
/// the names that Python has for them ("max_iterations").
std::string in_python_words(const std::string& text);

} // namespace lacuna::python
