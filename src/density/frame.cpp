#include "density/frame.hpp"

#include <algorithm>
#include <cmath>

#include "core/archive_checks.hpp"
#include "lacuna/core/errors.hpp"

namespace lacuna {

namespace {

/// Of what is taken away from features and what they are divided by; their quotient is still a number.
constexpr double largest_saved_center = 1e153;

/// Tells numbers from categories; centre and scale are still to come.
Frame make_layout(std::span<const Index> levels, Index n_columns) {
  Frame frame;
  Index first_level = 0;
  for (Index j = 0; j < n_columns; ++j) {
    const Index n = levels.empty() ? 0 : levels[static_cast<std::size_t>(j)];
    if (n == 0) {
      frame.columns.push_back(j);
    } else {
      frame.categories.push_back({j, n, first_level});
      first_level += n;
    }
  }
  frame.center.resize(frame.columns.size());
  frame.scale.resize(frame.columns.size());
  return frame;
}

} // namespace

Frame Frame::identity(Index n_features) {
  Frame frame = make_layout({}, n_features);
  std::fill(frame.scale.begin(), frame.scale.end(), 1.0);
  return frame;
}

double Frame::log_jacobian() const {
  double sum = 0.0;
  for (const double s : scale) sum -= std::log(s);
  return sum;
}

Frame Frame::select(std::span<const Index> features) const {
  Frame part;
  part.categories = categories;
  for (const Index feature : features) {
    const auto at = static_cast<std::size_t>(feature);
    part.center.push_back(center[at]);
    part.scale.push_back(scale[at]);
    part.columns.push_back(columns[at]);
  }
  return part;
}

void Frame::save(Archive& archive, const std::string& prefix) const {
  archive.put(prefix + "center", center);
  archive.put(prefix + "scale", scale);
  if (categories.empty()) return;
  std::vector<double> levels(static_cast<std::size_t>(n_columns()));
  for (const CategoryColumn& category : categories)
    levels[static_cast<std::size_t>(category.column)] = static_cast<double>(category.n_levels);
  archive.put(prefix + "levels", levels);
}

Frame Frame::load(const Archive& archive, const std::string& prefix, Index n_columns) {
  constexpr double most_levels = 1 << 24;
  std::vector<Index> levels;
  double total = 0.0;
  if (archive.has(prefix + "levels"))
    for (const double n : archive.vector(prefix + "levels", n_columns)) {
      total += n;
      if (!(n >= 0.0 && total <= most_levels && n == std::floor(n)))
        throw Error(ErrorKind::data, "the model is damaged: a number of categories is outside its limits");
      levels.push_back(static_cast<Index>(n));
    }
  const auto n_numbers =
      levels.empty() ? n_columns : static_cast<Index>(std::ranges::count(levels, Index{0}));
  // Read before anything is allocated for so many columns: the file must hold as much itself.
  const std::vector<double>& center = archive.vector(prefix + "center", n_numbers);
  const std::vector<double>& scale = archive.vector(prefix + "scale", n_numbers);
  require_within(center, largest_saved_center, prefix + "center");
  for (const double s : scale)
    if (!(s > 0.0 && s <= largest_saved_center && 1.0 / s <= largest_saved_center))
      throw Error(ErrorKind::data, "the model is damaged: a scale is not positive");
  Frame frame = make_layout(levels, n_columns);
  frame.center = center;
  frame.scale = scale;
  return frame;
}

Frame make_frame(const WeightedRows& rows, std::span<const Index> levels,
                 std::span<const double> reference_mean, std::span<const double> reference_variance,
                 double reference_rows) {
  return make_frame(row_moments(rows), levels, reference_mean, reference_variance, reference_rows);
}

Frame make_frame(const RowMoments& own, std::span<const Index> levels, std::span<const double> reference_mean,
                 std::span<const double> reference_variance, double reference_rows) {
  Frame frame = make_layout(levels, static_cast<Index>(own.mean.size()));
  for (std::size_t j = 0; j < frame.scale.size(); ++j) {
    const auto column = static_cast<std::size_t>(frame.columns[j]);
    const double weight = own.present[column];
    const bool is_absent = weight == 0.0;
    frame.center[j] = is_absent && !reference_mean.empty() ? reference_mean[column] : own.mean[column];
    if (!is_absent && weight < own.weight && !reference_mean.empty()) {
      // The few rows that have a feature must not be evidence and prior at once.
      const double borrowed = reference_rows * (1.0 - weight / own.weight);
      frame.center[j] += borrowed / (weight + borrowed) * (reference_mean[column] - frame.center[j]);
    }
    double variance = own.variance[column];
    if (!reference_variance.empty()) {
      const double reference = reference_variance[column];
      if (!is_absent) variance = (weight * variance + reference_rows * reference) / (weight + reference_rows);
      if (variance == 0.0) variance = reference;
    }
    // A feature that never varies carries no information; any scale will do. For one whose variance is beyond
    // the largest number a scale of the right size does.
    const double scale = std::isfinite(variance) ? std::sqrt(variance) : 0.5 * own.range(column);
    frame.scale[j] = scale > 0.0 && std::isfinite(1.0 / scale) ? scale : 1.0;
  }
  return frame;
}

} // namespace lacuna
