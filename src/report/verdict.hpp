#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "lacuna/evaluation/evaluator.hpp"
#include "lacuna/learning/learner.hpp"
#include "report/page.hpp"
#include "report/regions.hpp"

namespace lacuna {

/// What a verdict about one method rests on.
struct VerdictInput {
  std::string name;
  Metrics overall;
  std::vector<JudgedRows> parts; ///< that somebody may want to know apart; may be empty
  RiskCoverage risk_coverage;
  Index n_classes = 2;
  /// Looks for rows about which the method is too sure; asked only where something is wrong. May be null.
  std::function<std::optional<JudgedRows>()> too_sure = nullptr;
};

/// Whether a method keeps its word, in a sentence. A method that does is called overconfident with
/// probability .05 at most; how the looks share that, and what is too little to matter, stands in
/// docs/report.md.
ReportVerdict verdict(const VerdictInput& input);

/// The same for a model that judged labeled rows before it saw their labels; nothing when it judged none.
std::optional<ReportVerdict> self_check_verdict(const std::string& name, const StackSummary& stack,
                                                Index n_classes);

/// Whom of several to trust; empty for one.
std::string verdict_headline(const std::vector<ReportVerdict>& verdicts);

/// Acting on the surest rows of this order is worse than on the others: a sentence, or nothing.
std::string inverted_words(const RiskCoverage& risk_coverage, Index n);

} // namespace lacuna
