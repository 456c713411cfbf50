#pragma once

#include <cstdint>
#include <string>

namespace lacuna {

/// The functions of XGBoost's C interface that lacuna calls, from the library that the system has. Nothing of
/// XGBoost is needed to build lacuna, nor to predict with what it has fitted.
struct XgboostLibrary {
  using Handle = void*;
  using Size = std::uint64_t;

  const char* (*last_error)() = nullptr;
  int (*set_global_config)(const char* config) = nullptr;
  int (*matrix_create)(const float* cells, Size n_rows, Size n_cols, float missing, Handle* out,
                       int threads) = nullptr;
  int (*matrix_free)(Handle matrix) = nullptr;
  int (*matrix_set_floats)(Handle matrix, const char* field, const float* values, Size size) = nullptr;
  int (*matrix_set_texts)(Handle matrix, const char* field, const char** texts, Size size) = nullptr;
  int (*booster_create)(const Handle* matrices, Size size, Handle* out) = nullptr;
  int (*booster_free)(Handle booster) = nullptr;
  int (*booster_set)(Handle booster, const char* name, const char* value) = nullptr;
  int (*booster_update)(Handle booster, int round, Handle matrix) = nullptr;
  int (*booster_predict)(Handle booster, Handle matrix, const char* config, const Size** shape, Size* n_dims,
                         const float** out) = nullptr;
  int (*booster_save)(Handle booster, const char* config, Size* size, const char** out) = nullptr;

  std::string version; ///< "1.7.4"

  /// Throws Error(internal) with XGBoost's own words when a call did not return 0.
  void check(int status) const;
};

/// Empty when XGBoost can be used here; otherwise what is wrong and how to get it.
const std::string& xgboost_problem();

/// The loaded library. Throws Error(usage) with xgboost_problem().
const XgboostLibrary& xgboost_library();

} // namespace lacuna
