#pragma once

#include <string_view>

#include "conditional/tree_ensemble.hpp"

namespace lacuna {

/// The trees of a model as XGBoost writes it in UBJSON (its JSON has numbers that no JSON knows). Throws
/// Error(internal) when it says something else than version 1.7 would.
TreeEnsemble parse_xgboost_trees(std::string_view model_bytes, Index n_features, Index n_outputs);

} // namespace lacuna
