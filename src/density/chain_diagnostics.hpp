#pragma once

#include <span>

namespace lacuna {

/// How many independent draws tell as much about the mean as this stretch of a Markov chain: Geyer's initial
/// monotone sequence. At most their number; that many when nothing ever changes.
double effective_sample_size(std::span<const double> trace);

} // namespace lacuna
