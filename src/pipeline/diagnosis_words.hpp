#pragma once

#include <vector>

#include "lacuna/pipeline/diagnose.hpp"

namespace lacuna {

/// What the numbers of a diagnosis mean: what was found, why it matters, what to try.
std::vector<Finding> findings_of(const Diagnosis& diagnosis);

} // namespace lacuna
