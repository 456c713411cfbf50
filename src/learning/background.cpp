#include "lacuna/learning/classifier.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "core/index.hpp"
#include "density/column_shapes.hpp"
#include "lacuna/core/errors.hpp"
#include "math/special.hpp"

// Equation numbers refer to docs/math/classifier.md.

namespace lacuna {

namespace {

/// log(1 + |z|^2) of numbers that may lie so far away that their squares are beyond the largest one.
class LogSquareSum {
public:
  void add(double z) {
    const double size = std::abs(z);
    sum_ += size * size;
    largest_ = std::max(largest_, size);
    hypotenuse_ = size > huge ? std::hypot(hypotenuse_, size) : hypotenuse_;
  }
  double result() const { return largest_ > huge ? 2.0 * std::log(hypotenuse_) : std::log1p(sum_); }

private:
  static constexpr double huge = 1e100; // beside it one, and what is not huge, are nothing

  double sum_ = 0.0;
  double largest_ = 0.0;
  double hypotenuse_ = 0.0;
};

} // namespace

Background::Background(double weight, std::vector<double> center, std::vector<double> scale,
                       std::vector<Index> levels, std::shared_ptr<const ColumnShapes> shapes)
    : weight_(weight), shapes_(std::move(shapes)), center_(std::move(center)), scale_(std::move(scale)),
      levels_(std::move(levels)) {
  levels_.resize(center_.size());
  for (std::size_t j = 0; j < center_.size(); ++j)
    log_size_.push_back(std::log(levels_[j] > 0 ? static_cast<double>(levels_[j]) : scale_[j]));
  for (std::size_t n = 0; n <= center_.size(); ++n) {
    const auto d = static_cast<double>(n);
    log_constant_.push_back(log_gamma(0.5 * (1.0 + d)) - log_gamma(0.5) -
                            0.5 * d * std::log(std::numbers::pi));
  }
}

double Background::log_density(const double* row) const {
  if (shapes_ == nullptr) return log_density_seen(row);
  std::vector<double> seen(center_.size());
  const double log_jacobian = shapes_->see(row, seen.data());
  return log_density_seen(seen.data()) + log_jacobian;
}

double Background::log_odds(const double* row, double other_log_density) const {
  return log_density(row) + std::log(weight_) - other_log_density - std::log1p(-weight_);
}

/// Eq. 8. A marginal of a Student-t is one of fewer dimensions, with the same degrees of freedom.
double Background::log_density_seen(const double* row) const {
  double log_sizes = 0.0;
  std::size_t n_numbers = 0;
  LogSquareSum distance;
  for (std::size_t j = 0; j < center_.size(); ++j) {
    if (std::isnan(row[j])) continue;
    log_sizes += log_size_[j];
    if (levels_[j] > 0) continue;
    distance.add((row[j] - center_[j]) / scale_[j]);
    ++n_numbers;
  }
  return log_constant_[n_numbers] - log_sizes -
         0.5 * (1.0 + static_cast<double>(n_numbers)) * distance.result();
}

void Background::save(Archive& archive, const std::string& prefix) const {
  archive.put(prefix + "weight", weight_);
  archive.put(prefix + "center", center_);
  archive.put(prefix + "scale", scale_);
  archive.put(prefix + "levels", std::vector<double>(levels_.begin(), levels_.end()));
  if (shapes_ != nullptr) shapes_->save(archive, prefix + "shapes/");
}

Background Background::load(const Archive& archive, const std::string& prefix, Index n_features) {
  const double weight = archive.number(prefix + "weight");
  std::shared_ptr<const ColumnShapes> shapes;
  if (archive.has(prefix + "shapes/scale"))
    shapes = ColumnShapes::load(archive, prefix + "shapes/", n_features);
  const Index n_seen = shapes != nullptr ? shapes->n_seen() : n_features;
  const std::vector<double>& scale = archive.vector(prefix + "scale", n_seen);
  std::vector<Index> levels;
  bool is_whole = weight > 0.0 && weight < 1.0;
  const std::vector<double>& center = archive.vector(prefix + "center", n_seen);
  constexpr double most = 1e153; // of a centre and one over a scale: their product is still a number
  for (const double c : center) is_whole = is_whole && std::abs(c) <= most;
  for (const double s : scale) is_whole = is_whole && s > 0.0 && s <= most && 1.0 / s <= most;
  for (const double n : archive.vector(prefix + "levels", n_seen)) {
    is_whole = is_whole && n >= 0.0 && n <= 0x1.0p31 && n == std::floor(n);
    levels.push_back(is_whole ? static_cast<Index>(n) : 0);
  }
  if (!is_whole) throw Error(ErrorKind::data, "the model is damaged: its background is no density");
  return {weight, center, scale, std::move(levels), std::move(shapes)};
}

} // namespace lacuna
