#include "learning/trust_curve.hpp"

#include <algorithm>

#include "learning/stacked_model.hpp"

namespace lacuna {

std::vector<TrustPoint> trust_curve(const GenerativeClassifier& classifier) {
  constexpr double step = 0.1;
  constexpr double deepest = 100.0;
  // Beside a label, among as many labels as anywhere, with members that agree.
  constexpr double distance = 1.0;
  std::vector<TrustPoint> curve;
  const StackedModel* const stacked = classifier.parts().stacked.get();
  if (stacked == nullptr || stacked->trust.empty()) return curve;
  for (int i = 0; i * step <= deepest; ++i) {
    const double depth = i * step;
    double kept = 1.0;
    for (const Trust& trust : stacked->trust)
      kept = std::min(kept, trust.of(1.0 - trust_curve_announces, Signals::of(depth, distance, 0.0, 0.0),
                                     classifier.n_classes()));
    curve.push_back({depth, kept});
    if (kept == 0.0) break;
  }
  return curve;
}

} // namespace lacuna
