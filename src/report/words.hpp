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
/// A name in quotes, "(empty)" without any.
std::string quoted(const std::string& name);

/// What simulated gaps showed, in one sentence.
std::string gaps_words(const StackSummary& stack);
/// Announced against made errors on labeled rows that were held out, in one sentence; empty without rows.
std::string check_words(const StackSummary& stack);

/// What sets and accepted rows came to, in two sentences.
std::string promise_words(const PromiseCheck& check);

/// The classes whose predictions are least to be trusted, the worst first.
std::vector<ReportWords> class_words(const std::vector<std::string>& class_names, const ScoredRows& rows,
                                     std::size_t max_classes);

} // namespace lacuna
