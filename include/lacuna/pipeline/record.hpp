#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "lacuna/core/options.hpp"
#include "lacuna/learning/learner.hpp"

namespace lacuna {

/// Everything that decided a fit and what came of it. It is free of times, paths and thread counts, so that a
/// seed has one model file.
struct FitRecord {
  std::string version; ///< of lacuna
  std::uint64_t seed = 0;
  std::vector<std::pair<std::string, OptionValue>> options; ///< resolved, by name
  std::vector<std::string> classes;
  std::vector<std::string> features;       ///< as the table's columns make them
  std::vector<std::string> model_features; ///< as the densities see them
  FitSummary summary;
  std::vector<std::string> notes; ///< what was decided on the user's behalf
  std::string label_type;         ///< Python: what the labels were before they became text

  /// The value of an option as text; empty when the record does not tell it.
  std::string option(std::string_view name) const;
};

} // namespace lacuna
