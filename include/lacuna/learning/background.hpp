#pragma once

#include <string>
#include <vector>

#include "lacuna/core/archive.hpp"
#include "lacuna/core/matrix.hpp"

namespace LACUNA_API lacuna {

/// What may lie where no training row does: a Cauchy density (Student-t with one degree of freedom) about the
/// mean of all training rows, uniform over categories. Its tails are the heaviest, so that far from all rows
/// it outweighs the class densities, and says the same of every class. Derived in docs/math/classifier.md.
class Background {
public:
  /// `scale` is a number's standard deviation; `levels` as in Dataset, empty: all columns are numbers. What
  /// stands for a category in `center` and `scale` does not matter.
  Background(double weight, std::vector<double> center, std::vector<double> scale, std::vector<Index> levels);

  /// The probability that a row comes from here, before it is seen.
  double weight() const { return weight_; }
  Index n_features() const { return static_cast<Index>(center_.size()); }
  /// Finite for every row with finite features; NaN is a missing value and is integrated out.
  double log_density(const double* row) const;

  void save(Archive& archive, const std::string& prefix) const;
  /// Throws Error(data).
  static Background load(const Archive& archive, const std::string& prefix, Index n_features);

private:
  double weight_;
  std::vector<double> center_;
  std::vector<double> scale_;
  std::vector<Index> levels_;
  std::vector<double> log_size_;     ///< per column: of its scale, or of how many categories it has
  std::vector<double> log_constant_; ///< by the number of numbers that a row has
};

} // namespace lacuna
