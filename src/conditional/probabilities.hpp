#pragma once

#include <span>
#include <string>
#include <vector>

#include "lacuna/core/archive.hpp"
#include "lacuna/core/matrix.hpp"

namespace lacuna {

/// Turns scores, log probabilities up to a constant, into log probabilities, none less than least_probability
/// (but for rounding). Minus infinity is a class that cannot be judged; where all are, all are alike.
void to_log_probabilities(std::span<double> scores);

/// Spreads the scores of the classes that a family knows over a row of all classes; the others cannot be
/// judged.
void spread_scores(std::span<const double> scores, std::span<const int> classes, std::span<double> row);

/// Class numbers, rising.
void save_classes(Archive& archive, const std::string& name, std::span<const int> classes);
/// At least one. Throws Error(data).
std::vector<int> load_classes(const Archive& archive, const std::string& name, Index n_classes);

} // namespace lacuna
