#include "conditional/xgboost_library.hpp"

#include <cstdlib>
#include <new>
#include <string>
#include <vector>

#include "core/shared_library.hpp"
#include "lacuna/core/errors.hpp"

namespace lacuna {

namespace {

struct LoadedXgboost {
  XgboostLibrary library;
  std::string problem;
};

/// Debian's name, then the one that a build from source has.
std::vector<std::string> xgboost_places() {
  if (const char* chosen = std::getenv("LACUNA_XGBOOST_LIBRARY")) return {chosen};
  return {"libxgboost.so.0", "libxgboost.so"};
}

LoadedXgboost load_xgboost() {
  LoadedXgboost loaded{XgboostLibrary(SharedLibrary::open(xgboost_places())), {}};
  const auto& [found, missing] = loaded.library.source;
  if (found.handle == nullptr) {
    loaded.problem = "boosted trees need the library XGBoost, which cannot be loaded; install the package "
                     "libxgboost-dev (Debian), or name the library in LACUNA_XGBOOST_LIBRARY. Tried:" +
                     found.tried;
  } else if (!missing.empty()) {
    loaded.problem = "'" + found.place +
                     "' is not the library XGBoost, or too old (1.6 or newer is needed): it lacks " +
                     missing + "; install the package libxgboost-dev (Debian)";
  } else {
    int parts[3] = {};
    loaded.library.read_version(&parts[0], &parts[1], &parts[2]);
    loaded.library.version =
        std::to_string(parts[0]) + "." + std::to_string(parts[1]) + "." + std::to_string(parts[2]);
  }
  return loaded;
}

const LoadedXgboost& loaded_xgboost() {
  static const LoadedXgboost once = load_xgboost();
  return once;
}

} // namespace

FunctionSource::Address FunctionSource::find(const char* name) {
  void* const found = library.find<void*>(name);
  if (found == nullptr) missing += (missing.empty() ? "" : ", ") + std::string(name);
  return {found};
}

void XgboostLibrary::check(int status) const {
  if (status != 0 && std::string(last_error()).find("bad_alloc") != std::string::npos) throw std::bad_alloc();
  if (status != 0) throw Error(ErrorKind::internal, "XGBoost " + version + " failed: " + last_error());
}

const std::string& xgboost_problem() {
  return loaded_xgboost().problem;
}

const XgboostLibrary& xgboost_library() {
  if (!xgboost_problem().empty()) throw Error(ErrorKind::usage, xgboost_problem());
  return loaded_xgboost().library;
}

} // namespace lacuna
