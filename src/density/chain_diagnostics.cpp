#include "density/chain_diagnostics.hpp"

#include <algorithm>
#include <cstddef>
#include <numeric>

namespace lacuna {

double effective_sample_size(std::span<const double> trace) {
  const std::size_t n = trace.size();
  const auto size = static_cast<double>(n);
  if (n < 2) return size;
  const double mean = std::accumulate(trace.begin(), trace.end(), 0.0) / size;
  const auto covariance = [&](std::size_t lag) {
    double sum = 0.0;
    for (std::size_t i = lag; i < n; ++i) sum += (trace[i] - mean) * (trace[i - lag] - mean);
    return sum / size;
  };
  const double variance = covariance(0);
  if (!(variance > 0.0)) return size;
  // Sums of two neighbouring autocovariances of a reversible chain are positive and fall; noise is not.
  double sum = 0.0;
  double last = 2.0 * variance;
  for (std::size_t lag = 0; lag + 1 < n; lag += 2) {
    const double pair = std::min(last, covariance(lag) + covariance(lag + 1));
    if (pair <= 0.0) break;
    sum += pair;
    last = pair;
  }
  const double inefficiency = 2.0 * sum / variance - 1.0;
  return inefficiency > 1.0 ? size / inefficiency : size;
}

} // namespace lacuna
