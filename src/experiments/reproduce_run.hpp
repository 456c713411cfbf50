#pragma once

#include <string>
#include <vector>

#include "experiments/reproduce.hpp"
#include "experiments/reproduce_setup.hpp"
#include "experiments/reproduce_trial.hpp"
#include "lacuna/pipeline/evaluate.hpp"
#include "lacuna/pipeline/model.hpp"

namespace lacuna {

/// One fit and how it did.
struct RunResult {
  Contender contender;
  Model model;
  EvaluateOutcome outcome; ///< on the test rows
};

/// Fits contenders of one preset to a trial, with what they share fitted once, and judges them on the test
/// rows. `keeps_rows`: for a report.
std::vector<RunResult> run_contenders(const ReproduceRequest& request,
                                      const std::vector<Contender>& contenders, const Trial& trial,
                                      std::uint64_t seed, int threads, bool keeps_rows, Observer& observer);

/// Writes the data behind the figures of one run below `folder`: the test rows with what was said about
/// them, and, for two features, the same over a grid; `base` begins the files' names.
void write_run_figures(const std::string& folder, const std::string& base, const Trial& trial,
                       const RunResult& result, int threads);

/// The training rows: features, the label a method saw, and the class where it is known.
void write_points(const std::string& path, const Trial& trial);

} // namespace lacuna
