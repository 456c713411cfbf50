#pragma once

#include <span>
#include <string>
#include <vector>

#include "lacuna/core/archive.hpp"
#include "lacuna/core/matrix.hpp"

namespace lacuna {

/// How likely each class has few labels because it is hidden, and not because it is small, from how even the
/// others are (docs/math/trust.md, eq. 8a); 1 where there are fewer than three classes.
std::vector<double> hidden_probabilities(const std::vector<double>& labels_of_class);

/// Classes that are hardly labeled must live somewhere, and mostly outside (docs/math/trust.md, section 4).
struct HardlyLabeled {
  std::vector<double> hardness; ///< per class: 0 for enough labels, 1 for none where it must be hidden
  double share = 0.0;           ///< m: how much of what lies outside they can be
  double belief = 0.0;          ///< in extrapolations to them beyond trust: grows with the labels
  std::vector<double> shift;    ///< per class: how much more frequent it is outside than among the labels

  /// From labels per class and the share of all rows that lies outside.
  static HardlyLabeled of(const std::vector<double>& labels_of_class, double outside);
  /// What lies outside and is not extrapolated: the probability of class y.
  double probability(std::size_t y) const;
  /// What an extrapolation p(y|x), given and returned in place, is outside when so much of it is trusted; the
  /// share of it that is kept.
  double extrapolate(double trust, std::span<double> p) const;

  void save(Archive& archive, const std::string& prefix) const;
  /// Throws Error(data).
  static HardlyLabeled load(const Archive& archive, const std::string& prefix, Index n_classes);

private:
  double kept(std::size_t y, double trust) const;
};

} // namespace lacuna
