#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include "core/shared_library.hpp"

namespace lacuna {

/// Where functions are looked up by name, and which of them were not there.
struct FunctionSource {
  /// Becomes a pointer to a function of whatever type is asked for.
  struct Address {
    void* value;
    template <class Function>
    operator Function*() const { // NOLINT(google-explicit-constructor): the field knows the type
      return reinterpret_cast<Function*>(value);
    }
  };

  SharedLibrary library;
  std::string missing = {}; ///< "XGBoosterFree, XGBoosterCreate"

  Address find(const char* name);
};

/// The functions of XGBoost's C interface that lacuna calls, from the library that the system has. Nothing of
/// XGBoost is needed to build lacuna, nor to predict with what it has fitted.
struct XgboostLibrary {
  using Handle = void*;
  using Size = std::uint64_t;

  explicit XgboostLibrary(SharedLibrary library) : source{std::move(library)} {}

  FunctionSource source;
  const char* (*last_error)() = source.find("XGBGetLastError");
  int (*set_global_config)(const char* config) = source.find("XGBSetGlobalConfig");
  int (*matrix_create)(const float* cells, Size n_rows, Size n_cols, float missing, Handle* out,
                       int threads) = source.find("XGDMatrixCreateFromMat_omp");
  int (*matrix_free)(Handle matrix) = source.find("XGDMatrixFree");
  int (*matrix_set_floats)(Handle matrix, const char* field, const float* values,
                           Size size) = source.find("XGDMatrixSetFloatInfo");
  int (*matrix_set_texts)(Handle matrix, const char* field, const char** texts,
                          Size size) = source.find("XGDMatrixSetStrFeatureInfo");
  int (*booster_create)(const Handle* matrices, Size size, Handle* out) = source.find("XGBoosterCreate");
  int (*booster_free)(Handle booster) = source.find("XGBoosterFree");
  int (*booster_set)(Handle booster, const char* name, const char* value) = source.find("XGBoosterSetParam");
  int (*booster_update)(Handle booster, int round, Handle matrix) = source.find("XGBoosterUpdateOneIter");
  int (*booster_predict)(Handle booster, Handle matrix, const char* config, const Size** shape, Size* n_dims,
                         const float** out) = source.find("XGBoosterPredictFromDMatrix");
  int (*booster_save)(Handle booster, const char* config, Size* size,
                      const char** out) = source.find("XGBoosterSaveModelToBuffer");
  void (*read_version)(int* major, int* minor, int* patch) = source.find("XGBoostVersion");

  std::string version; ///< "1.7.4"

  /// Throws Error(internal) with XGBoost's own words when a call did not return 0.
  void check(int status) const;
};

/// Empty when XGBoost can be used here; otherwise what is wrong and how to get it.
const std::string& xgboost_problem();

/// The loaded library. Throws Error(usage) with xgboost_problem().
const XgboostLibrary& xgboost_library();

} // namespace lacuna
