#pragma once

#include <map>
#include <string>
#include <vector>

#include "experiments/reproduce.hpp"
#include "experiments/reproduce_run.hpp"

namespace lacuna {

/// The page of an experiment; `first_repeat` has the first repeat of every contender, by toy.
std::string reproduce_page(const ReproduceRequest& request, const ReproduceOutcome& outcome,
                           const std::map<std::string, std::vector<RunResult>>& first_repeat);

} // namespace lacuna
