#include "core/shared_library.hpp"

#include <dlfcn.h>

namespace lacuna {

SharedLibrary SharedLibrary::open(const std::vector<std::string>& places) {
  SharedLibrary library;
  for (const std::string& place : places) {
    // Everything is looked up at once, so that a library that does not fit fails here and not in use.
    library.handle = dlopen(place.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library.handle != nullptr) {
      library.place = place;
      break;
    }
    const char* reason = dlerror();
    library.tried += std::string("\n  ") + (reason == nullptr ? place.c_str() : reason);
  }
  return library;
}

void* SharedLibrary::symbol(const char* name) const {
  return handle == nullptr ? nullptr : dlsym(handle, name);
}

} // namespace lacuna
