#pragma once

#include <optional>
#include <string>
#include <vector>

#include "data/table_source.hpp"

namespace lacuna {

/// Which column of a table of probabilities means what.
struct ProbabilityColumns {
  std::vector<std::string> class_names;
  std::vector<std::size_t> classes; ///< the place of each class
  std::optional<std::size_t> label; ///< none when labels come from a file
  std::optional<std::size_t> stratum;
  std::optional<std::size_t> prediction;
  std::optional<std::size_t> error_probability;
};

/// What to look for. Empty names mean: not asked for.
struct ProbabilityNames {
  std::string label;
  std::string stratum;
  std::vector<std::string> classes;
  bool has_labels_file = false;
};

/// Throws Error(data) or Error(usage) that says what is missing and what there is.
ProbabilityColumns find_probability_columns(const TableSource& table, const ProbabilityNames& names);

} // namespace lacuna
