#include "learning/label_distance.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/archive_checks.hpp"
#include "core/index.hpp"
#include "core/order.hpp"
#include "learning/nearest_kernels.hpp"
#include "learning/unlabeled_sample.hpp"

namespace lacuna {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr Index most_compared_rows = 3000;
constexpr Index most_labeled_rows = 1000;
constexpr Index most_measured_rows = 300; ///< for the unit of distance

/// The median distance from a row to the next; 1 when there is one row, or all are alike.
double median_gap(const Matrix& points) {
  const Index step = (points.n_rows() + most_measured_rows - 1) / most_measured_rows;
  std::vector<double> gaps;
  for (Index i = 0; i < points.n_rows(); i += step) {
    double least = infinity;
    for (Index k = 0; k < points.n_rows(); ++k)
      if (k != i) least = std::min(least, squared_distance(point_of(points, i), point_of(points, k)));
    gaps.push_back(std::sqrt(least));
  }
  const auto middle = gaps.begin() + static_cast<std::ptrdiff_t>(gaps.size() / 2);
  std::nth_element(gaps.begin(), middle, gaps.end(), NanLast{});
  return std::isfinite(*middle) && *middle > 0.0 ? *middle : 1.0;
}

} // namespace

LabelDistance::LabelDistance(std::shared_ptr<const Embedding> embedding, Matrix labeled)
    : embedding_(std::move(embedding)), labeled_(std::move(labeled)),
      n_places_((labeled_.n_rows() + nearest_group - 1) / nearest_group * nearest_group),
      places_(at(n_places_ * labeled_.n_cols()), infinity), unit_(median_gap(labeled_)) {
  for (Index i = 0; i < labeled_.n_rows(); ++i)
    for (Index j = 0; j < labeled_.n_cols(); ++j) places_[at(j * n_places_ + i)] = labeled_(i, j);
}

/// The least squared distance above `beyond`.
double LabelDistance::nearest(const double* row, double beyond) const {
  static const NearestKernel& kernel = *nearest_kernels().back();
  std::vector<double> point(embedding_->size());
  embedding_->embed(row, point);
  const double least =
      kernel.least_distance(point.data(), places_.data(), n_places_, labeled_.n_cols(), beyond);
  return std::isfinite(least) ? std::sqrt(least) / unit_ : 0.0;
}

double LabelDistance::of(const double* row) const {
  return nearest(row, -1.0);
}

double LabelDistance::of_other(const double* row) const {
  return nearest(row, 1e-18); // it is one of the points itself
}

void LabelDistance::save(Archive& archive, const std::string& prefix) const {
  embedding_->save(archive, prefix + "embedding/");
  archive.put(prefix + "labeled", labeled_);
}

std::shared_ptr<const LabelDistance> LabelDistance::load(const Archive& archive, const std::string& prefix,
                                                         Index n_features) {
  auto embedding = std::make_shared<Embedding>(Embedding::load(archive, prefix + "embedding/", n_features));
  const std::vector<Index>& shape = archive.tensor(prefix + "labeled").shape;
  if (shape.size() != 2 || shape[0] < 1) fail_damaged(prefix + "labeled", "holds no points");
  Matrix points = archive.matrix(prefix + "labeled", shape[0], static_cast<Index>(embedding->size()));
  require_within(points.values(), 1e6, prefix + "labeled"); // a few deviations, or the height of a category
  return std::make_shared<LabelDistance>(std::move(embedding), std::move(points));
}

LabelDistanceFit::LabelDistanceFit(const DensityFitter& fitter, const std::vector<Index>& labeled,
                                   std::uint64_t seed) {
  const DatasetView& data = fitter.data();
  RowList all;
  for (const Index row : labeled) all.add(row, data.weight(row));
  all.append(sample_unlabeled(fitter, most_compared_rows, seed));
  embedding_ = std::make_shared<Embedding>(data, all.rows, all.weights);
  labeled_points_ = embedding_->embed(data.features, labeled);
  points_ = embedding_->embed(data.features, all.rows);
}

std::shared_ptr<const LabelDistance> LabelDistanceFit::fit(std::span<const char> hidden) const {
  std::vector<Index> kept;
  for (Index i = 0; i < labeled_points_.n_rows(); ++i)
    if (hidden.empty() || hidden[at(i)] == 0) kept.push_back(i);
  const auto n_kept = static_cast<Index>(kept.size());
  const Index step = (n_kept + most_labeled_rows - 1) / most_labeled_rows;
  Matrix points((n_kept + step - 1) / step, labeled_points_.n_cols());
  for (Index i = 0; i < points.n_rows(); ++i)
    std::copy_n(labeled_points_.row(kept[at(i * step)]), points.n_cols(), points.row(i));
  return std::make_shared<LabelDistance>(embedding_, std::move(points));
}

std::vector<std::vector<int>> LabelDistanceFit::groups(std::uint64_t seed) const {
  constexpr Index rows_per_cluster = 15;
  std::vector<std::vector<int>> groups;
  for (const Index n : {4, 8, 16}) {
    if (n * rows_per_cluster > points_.n_rows()) break;
    const Matrix centers = cluster_centers(points_, n, seed + static_cast<std::uint64_t>(n));
    std::vector<int>& group = groups.emplace_back();
    for (Index i = 0; i < labeled_points_.n_rows(); ++i)
      group.push_back(static_cast<int>(nearest_row(centers, point_of(labeled_points_, i))));
  }
  return groups;
}

} // namespace lacuna
