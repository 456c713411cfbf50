#pragma once

#include <string>

#include "experiments/reproduce.hpp"

namespace lacuna {

/// The paper's figures as one page, from what the runs left in the folder: also when all of them were found
/// finished there. Shows the first repeat; words tell the means over all.
std::string reproduce_page(const ReproduceRequest& request, const ReproduceOutcome& outcome);

} // namespace lacuna
