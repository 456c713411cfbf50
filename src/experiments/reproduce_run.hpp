#pragma once

#include <string>
#include <vector>

#include "experiments/reproduce.hpp"
#include "experiments/reproduce_setup.hpp"
#include "experiments/reproduce_trial.hpp"
#include "lacuna/learning/classifier.hpp"

namespace lacuna {

/// One fit and how it did.
struct RunResult {
  GenerativeClassifier classifier;
  Scores scores;    ///< of the test rows
  std::string json; ///< the run as metrics.json lists it
};

/// Fits contenders of one preset to a trial, with what they share fitted once, and judges them on the test
/// rows.
std::vector<RunResult> run_contenders(const ReproduceRequest& request,
                                      const std::vector<Contender>& contenders, const Subject& subject,
                                      Index repeat, std::uint64_t seed, const Trial& trial, int threads,
                                      Observer& observer);

/// Writes the data behind the figures of one run below `folder`: the test rows with what was said about
/// them, and, for two features, the same over a grid; `base` begins the files' names.
void write_run_figures(const std::string& folder, const std::string& base, const Contender& contender,
                       const Trial& trial, const RunResult& result, int threads);

/// The training rows: features, the label a method saw, and the class where it is known.
void write_points(const std::string& path, const Trial& trial);

/// Writes a file that is replaced as a whole or not at all.
void replace_file(const std::string& path, const std::string& text);

} // namespace lacuna
