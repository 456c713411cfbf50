#include "conditional/xgboost_library.hpp"

#include <cstdlib>
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
  const SharedLibrary found = SharedLibrary::open(xgboost_places());
  if (found.handle == nullptr)
    return {{},
            "boosted trees need the library XGBoost, which cannot be loaded; install the package "
            "libxgboost-dev (Debian), or name the library in LACUNA_XGBOOST_LIBRARY. Tried:" +
                found.tried};
  std::string missing;
  const auto get = [&](auto& function, const char* name) {
    function = found.find<std::decay_t<decltype(function)>>(name);
    if (function == nullptr) missing += (missing.empty() ? "" : ", ") + std::string(name);
  };
  LoadedXgboost loaded;
  XgboostLibrary& library = loaded.library;
  get(library.last_error, "XGBGetLastError");
  get(library.set_global_config, "XGBSetGlobalConfig");
  get(library.matrix_create, "XGDMatrixCreateFromMat_omp");
  get(library.matrix_free, "XGDMatrixFree");
  get(library.matrix_set_floats, "XGDMatrixSetFloatInfo");
  get(library.matrix_set_texts, "XGDMatrixSetStrFeatureInfo");
  get(library.booster_create, "XGBoosterCreate");
  get(library.booster_free, "XGBoosterFree");
  get(library.booster_set, "XGBoosterSetParam");
  get(library.booster_update, "XGBoosterUpdateOneIter");
  get(library.booster_predict, "XGBoosterPredictFromDMatrix");
  get(library.booster_save, "XGBoosterSaveModelToBuffer");
  void (*read_version)(int*, int*, int*) = nullptr;
  get(read_version, "XGBoostVersion");
  if (!missing.empty())
    return {{},
            "'" + found.place +
                "' is not the library XGBoost, or too old (1.6 or newer is needed): it lacks " + missing +
                "; install the package libxgboost-dev (Debian)"};
  int parts[3] = {};
  read_version(&parts[0], &parts[1], &parts[2]);
  library.version =
      std::to_string(parts[0]) + "." + std::to_string(parts[1]) + "." + std::to_string(parts[2]);
  return loaded;
}

const LoadedXgboost& loaded_xgboost() {
  static const LoadedXgboost once = load_xgboost();
  return once;
}

} // namespace

void XgboostLibrary::check(int status) const {
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
