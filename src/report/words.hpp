#pragma once

#include <string>
#include <vector>

#include "lacuna/core/matrix.hpp"
#include "lacuna/evaluation/evaluator.hpp"
#include "lacuna/learning/learner.hpp"
#include "report/page.hpp"

namespace lacuna {

/// 1234567 as "1,234,567"; 0.1234 as "12.3 %".
std::string count_words(Index number);
std::string percent_words(double share);

/// Whether a method keeps its word: compares the errors it announced with those it made, overall and in the
/// strata. The headline says "overconfident" when it made more than its announcement and chance allow.
ReportWords verdict(const std::string& method, const Evaluation& evaluation);

/// What simulated gaps showed, in one sentence.
std::string gaps_words(const StackSummary& stack);
/// Announced against made errors on labeled rows that were held out, in one sentence; empty without rows.
std::string check_words(const StackSummary& stack);

/// The classes whose predictions are least to be trusted, the worst first.
std::vector<ReportWords> class_words(const std::vector<std::string>& class_names, const ScoredRows& rows,
                                     std::size_t max_classes);

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

} // namespace lacuna
