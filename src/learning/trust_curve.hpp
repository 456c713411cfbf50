#pragma once

#include <vector>

#include "lacuna/learning/classifier.hpp"

namespace LACUNA_API lacuna {

/// How much is kept of an extrapolation at some depth below kappa.
struct TrustPoint {
  double depth = 0.0;
  double kept = 0.0;
};

/// The error probability that the extrapolation of a trust curve announces.
inline constexpr double trust_curve_announces = 0.1;

/// The learned trust in extrapolations that announce that, if nothing but their depth speaks against them
/// (docs/math/trust.md, eq. 7): from kappa to where nothing is kept. Empty without trust.
std::vector<TrustPoint> trust_curve(const GenerativeClassifier& classifier);

} // namespace lacuna
