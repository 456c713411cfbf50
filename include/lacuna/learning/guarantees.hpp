#pragma once

#include <span>
#include <vector>

#include "lacuna/learning/classifier.hpp"

// What is promised about rows beyond their error probability (docs/math/guarantees.md): sets of classes that
// cover the true one, and answers whose error rate is bounded. Both rest on labeled rows that the model
// judged before it saw their labels, weighted by how much rarer labels are among rows like them.

namespace LACUNA_API lacuna {

/// Whether there is anything to rest a promise on: a model with a stack keeps what it said about labeled
/// rows.
bool keeps_held_out_answers(const GenerativeClassifier& classifier);

/// The largest error probability, if the odds of the classes among unlabeled rows are at most `odds` times as
/// large or small as among labeled rows like them. 1: labels are missing at random.
double worst_error_probability(double error_probability, double odds);

/// How large that factor has to be before another class could be the likeliest; infinite where the others
/// have no probability.
double odds_that_flip(std::span<const double> posterior, int prediction);

struct SetRequest {
  double coverage = 0.9;
  double odds = 1.0; ///< as in worst_error_probability
};

/// n x classes, 1 where the class is in the row's set. The prediction always is; outside the informative
/// region all classes are. Throws Error(usage) where the model has no held-out answers.
std::vector<char> prediction_sets(const GenerativeClassifier& classifier, const Scores& scores,
                                  const SetRequest& request);

struct RiskRequest {
  double risk = 0.05;
  double confidence = 0.95;
};

/// Which rows are answered.
struct Acceptance {
  double threshold = -1.0;      ///< the largest error probability; negative: no row can be answered
  double least_log_share = 0.0; ///< fewer labels among rows like it than this: not answered
  Index n_tested = 0;           ///< held-out rows with an error probability up to the threshold
  Index n_wrong = 0;            ///< of them

  /// Row `i` of what this classifier said.
  bool accepts(const Scores& scores, std::size_t i) const;
};

/// With probability `confidence` over the labels that were drawn, at most the share `risk` of the accepted
/// rows is wrong. Throws Error(usage) where the model has no held-out answers.
Acceptance acceptance(const GenerativeClassifier& classifier, const RiskRequest& request);

} // namespace lacuna
