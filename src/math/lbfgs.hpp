#pragma once

#include <functional>
#include <span>

namespace lacuna {

/// A smooth function: returns its value at x and writes its gradient there.
using SmoothFunction = std::function<double(std::span<const double> x, std::span<double> gradient)>;

struct LbfgsLimits {
  int max_iterations = 200;
  double tolerance = 1e-7; ///< ends when no entry of the gradient is larger
};

struct LbfgsOutcome {
  double value = 0.0;
  int n_iterations = 0;
  bool converged = false;
};

/// Walks from `x` to a minimum and leaves it there. The value never rises, so that the end is at least as
/// good as the start whatever the function is; a step to where it is not finite is taken back.
LbfgsOutcome lbfgs_minimise(const SmoothFunction& function, std::span<double> x, LbfgsLimits limits = {});

} // namespace lacuna
