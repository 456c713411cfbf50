#pragma once

#include <string>
#include <vector>

namespace lacuna {

/// A library that is looked for while the program runs, so that nobody needs it who does not ask for it. It
/// stays loaded until the program ends.
struct SharedLibrary {
  void* handle = nullptr; ///< null where none was found
  std::string place;      ///< where it was found
  std::string tried;      ///< what the system said about the places before, a line for each

  /// The first of the places that holds a library which can be loaded whole.
  static SharedLibrary open(const std::vector<std::string>& places);

  /// A function of the library by its name, or null. `Function` is a pointer to one.
  template <typename Function>
  Function find(const char* name) const {
    return reinterpret_cast<Function>(symbol(name));
  }

private:
  void* symbol(const char* name) const;
};

} // namespace lacuna
