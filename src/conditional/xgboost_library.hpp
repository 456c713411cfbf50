#pragma once

#include <string>

namespace lacuna {

/// Empty when XGBoost can be used here; otherwise what is wrong and how to get it.
const std::string& xgboost_problem();

} // namespace lacuna
