#include "math/lbfgs.hpp"

#include <algorithm>
#include <cmath>
#include <deque>
#include <limits>
#include <numeric>
#include <vector>

namespace lacuna {

namespace {

using Vector = std::vector<double>;

double dot(const Vector& a, const Vector& b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

/// a += factor * b
void add(Vector& a, double factor, const Vector& b) {
  for (std::size_t i = 0; i < a.size(); ++i) a[i] += factor * b[i];
}

double largest_entry(const Vector& values) {
  double largest = 0.0;
  for (const double value : values) largest = std::max(largest, std::abs(value));
  return largest;
}

struct Point {
  Vector x;
  Vector gradient;
  double value;
};

/// What the last steps say about the curvature.
class CurvatureMemory {
public:
  void learn(const Point& from, const Point& to) {
    Pair pair{to.x, to.gradient, 0.0};
    add(pair.step, -1.0, from.x);
    add(pair.change, -1.0, from.gradient);
    pair.product = dot(pair.step, pair.change);
    if (!(pair.product > 1e-12 * std::sqrt(dot(pair.step, pair.step) * dot(pair.change, pair.change))))
      return; // no curvature along this step, or only rounding
    pairs_.push_back(std::move(pair));
    constexpr std::size_t most = 20;
    if (pairs_.size() > most) pairs_.pop_front();
  }

  /// The gradient times minus the estimated inverse Hessian: the two loops of Nocedal.
  Vector direction(const Vector& gradient) const {
    Vector d = gradient;
    Vector shares(pairs_.size());
    for (std::size_t i = pairs_.size(); i-- > 0;) {
      shares[i] = dot(pairs_[i].step, d) / pairs_[i].product;
      add(d, -shares[i], pairs_[i].change);
    }
    const double scale = pairs_.empty()
                             ? 1.0 / std::max(1e-300, std::sqrt(dot(gradient, gradient)))
                             : pairs_.back().product / dot(pairs_.back().change, pairs_.back().change);
    for (double& value : d) value *= scale;
    for (std::size_t i = 0; i < pairs_.size(); ++i)
      add(d, shares[i] - dot(pairs_[i].change, d) / pairs_[i].product, pairs_[i].step);
    for (double& value : d) value = -value;
    return d;
  }

private:
  struct Pair {
    Vector step;
    Vector change; ///< of the gradient
    double product;
  };
  std::deque<Pair> pairs_;
};

/// A step that falls enough and along which the slope has flattened (weak Wolfe conditions), by doubling and
/// halving. False when no step falls.
bool step_down(const SmoothFunction& function, const Point& from, const Vector& direction, Point& to) {
  constexpr double fall = 1e-4;
  constexpr double flat = 0.9;
  constexpr int most_tries = 60;
  const double slope = dot(from.gradient, direction);
  double low = 0.0;
  double high = std::numeric_limits<double>::infinity();
  double length = 1.0;
  for (int i = 0; i < most_tries; ++i) {
    to.x = from.x;
    add(to.x, length, direction);
    to.value = function(to.x, to.gradient);
    if (!(to.value <= from.value + fall * length * slope)) { // NaN, too
      high = length;
    } else if (dot(to.gradient, direction) < flat * slope) {
      low = length;
    } else {
      return true;
    }
    length = std::isinf(high) ? 2.0 * low : (low + high) / 2.0;
  }
  return to.value < from.value;
}

} // namespace

LbfgsOutcome lbfgs_minimise(const SmoothFunction& function, std::span<double> x, LbfgsLimits limits) {
  Point here{{x.begin(), x.end()}, Vector(x.size()), 0.0};
  Point next = here;
  here.value = function(here.x, here.gradient);
  CurvatureMemory memory;
  LbfgsOutcome outcome;
  while (outcome.n_iterations < limits.max_iterations) {
    outcome.converged = largest_entry(here.gradient) <= limits.tolerance;
    if (outcome.converged) break;
    const Vector direction = memory.direction(here.gradient);
    if (!step_down(function, here, direction, next)) break; // as low as rounding lets it go
    memory.learn(here, next);
    std::swap(here, next);
    ++outcome.n_iterations;
  }
  std::copy(here.x.begin(), here.x.end(), x.begin());
  outcome.value = here.value;
  return outcome;
}

} // namespace lacuna
