#pragma once

#include <optional>
#include <string>
#include <vector>

#include "lacuna/core/matrix.hpp"
#include "report/page.hpp"

namespace lacuna {

/// Some rows, the errors that were announced about them and those that were made.
struct JudgedRows {
  std::string where; ///< "in 'rare'", "where age is at most 31"
  Index n = 0;
  double announced = 0.0;
  double made = 0.0;
};

/// Near the error probability of someone who takes all classes for equally likely: it says that it does not
/// know, and a guess may happen to be a bad one.
bool knows_nothing(double error_probability, Index n_classes);

/// Some rows with what was said about them and whether it was wrong.
struct RegionRows {
  MatrixView features;
  std::vector<std::string> feature_names;
  std::vector<double> error_probability;
  std::vector<char> is_error;
  Index n_classes = 2;
};

/// Looks at pairs of features, each cut into low, middle and high, for the part of the data where a method
/// expects most errors, and for the one where it makes most that it did not expect. Nothing for fewer than
/// 100 rows, or when no part stands out.
std::vector<ReportWords> region_words(const RegionRows& rows);
/// The second of these parts.
std::optional<JudgedRows> too_sure_part(const RegionRows& rows);

} // namespace lacuna
