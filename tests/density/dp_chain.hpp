#pragma once

#include <vector>

#include "density/chain_diagnostics.hpp"
#include "density/dp_state.hpp"

namespace lacuna::testing {

/// Comparisons of a chain with what it should sample fail beyond this many standard errors: each with a
/// probability of 6e-7 when the sampler is right.
inline constexpr double most_standard_errors = 5.0;

inline DpModel small_model(Index d) {
  DpModel model;
  model.base = make_base(static_cast<std::size_t>(d), 0.25, static_cast<double>(d) + 2.0, 0.2);
  model.concentration_shape = 2.0;
  model.concentration_rate = 2.0;
  return model;
}

/// The mean of what a chain went through, and how sure it is.
struct Estimate {
  explicit Estimate(const std::vector<double>& trace) {
    const auto n = static_cast<double>(trace.size());
    for (const double v : trace) mean += v / n;
    for (const double v : trace) variance += (v - mean) * (v - mean) / n;
    variance /= effective_sample_size(trace);
  }
  double mean = 0.0;
  double variance = 0.0; ///< of the mean
};

} // namespace lacuna::testing
