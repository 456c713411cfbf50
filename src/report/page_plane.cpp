#include "report/page_plane.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "lacuna/core/random.hpp"
#include "lacuna/features/fit_features.hpp"

namespace lacuna {

namespace {

constexpr Index grid_size = 90;
// Probabilities of more classes would fill the page without anybody looking at them.
constexpr Index max_field_classes = 12;

PlanePoints part_of(const Matrix& rows, Index first, Index n) {
  PlanePoints points;
  for (Index i = first; i < first + n; ++i) {
    points.x.push_back(rows(i, 0));
    points.y.push_back(rows(i, 1));
  }
  return points;
}

PlanePoints first_two(const Matrix& rows) {
  return part_of(rows, 0, rows.n_rows());
}

/// For one feature: it lies along x, and chance spreads the rows over y.
PlanePoints spread(const Matrix& rows, std::uint64_t key) {
  PlanePoints points;
  for (Index i = 0; i < rows.n_rows(); ++i) {
    points.x.push_back(rows(i, 0));
    points.y.push_back(
        RandomStream(key, RandomPurpose::report_rows, static_cast<std::uint64_t>(i)).uniform());
  }
  return points;
}

Matrix stacked(const Matrix& a, const Matrix* b) {
  if (b == nullptr || b->n_rows() == 0) return a;
  Matrix both(a.n_rows() + b->n_rows(), a.n_cols());
  std::copy(a.values().begin(), a.values().end(), both.values().begin());
  std::copy(b->values().begin(), b->values().end(),
            both.values().begin() + static_cast<std::ptrdiff_t>(a.values().size()));
  return both;
}

/// Columns in units that can be compared, or the one with the largest numbers would be the plane: numbers in
/// standard deviations, of which far ones count as five, and flags so that two categories are one apart.
void make_comparable(Matrix& rows) {
  constexpr double farthest = 5.0;
  const double of_a_flag = std::sqrt(0.5);
  const auto n = static_cast<double>(rows.n_rows());
  for (Index j = 0; j < rows.n_cols(); ++j) {
    Index n_flags = 0;
    double mean = 0.0;
    for (Index i = 0; i < rows.n_rows(); ++i) {
      n_flags += rows(i, j) == 0.0 || rows(i, j) == 1.0 ? 1 : 0;
      mean += rows(i, j) / n;
    }
    const bool is_flag = n_flags == rows.n_rows();
    double variance = 0.0;
    for (Index i = 0; i < rows.n_rows(); ++i) variance += (rows(i, j) - mean) * ((rows(i, j) - mean) / n);
    const double scale = is_flag ? of_a_flag : variance > 0.0 ? 1.0 / std::sqrt(variance) : 0.0;
    for (Index i = 0; i < rows.n_rows(); ++i)
      rows(i, j) = std::clamp(scale * (rows(i, j) - mean), -farthest, farthest);
  }
}

/// The range to show: all values, unless a few far ones would squeeze the others together.
std::pair<double, double> shown_range(std::vector<double> values) {
  std::erase_if(values, [](double value) { return !std::isfinite(value); });
  if (values.empty()) return {0.0, 1.0};
  std::sort(values.begin(), values.end());
  const auto quantile = [&](double share) {
    return values[static_cast<std::size_t>(share * static_cast<double>(values.size() - 1))];
  };
  const double low = quantile(0.003);
  const double high = quantile(0.997);
  const double pad = 0.12 * (high - low);
  double from = std::max(values.front(), low - pad);
  double to = std::min(values.back(), high + pad);
  if (!(to > from)) { // one value only
    const double room = std::max(1.0, std::abs(from)) * 0.5;
    return {from - room, to + room};
  }
  const double margin = 0.03 * (to - from);
  return {from - margin, to + margin};
}

void set_range(PagePlane& result) {
  const auto both = [](const std::vector<double>& a, const std::vector<double>& b) {
    std::vector<double> all = a;
    all.insert(all.end(), b.begin(), b.end());
    return all;
  };
  std::tie(result.plane.x_low, result.plane.x_high) = shown_range(both(result.test.x, result.train.x));
  std::tie(result.plane.y_low, result.plane.y_high) = shown_range(both(result.test.y, result.train.y));
}

} // namespace

PagePlane make_plane(const PageInput& input, const RowSample::Drawn& test, const RowSample::Drawn* train) {
  PagePlane result;
  const auto place = [&](const auto& points) {
    result.test = points(test);
    if (train != nullptr) result.train = points(*train);
  };
  const Index n_features = test.features.n_cols();
  if (test.columns.n_cols() == 2) {
    result.is_columns = true;
    result.plane.x_name = input.column_names[0];
    result.plane.y_name = input.column_names[1];
    place([](const RowSample::Drawn& rows) { return first_two(rows.columns); });
  } else if (n_features == 2) {
    result.is_features = true;
    result.plane.x_name = input.feature_names[0];
    result.plane.y_name = input.feature_names[1];
    place([](const RowSample::Drawn& rows) { return first_two(rows.features); });
  } else if (n_features == 1) {
    result.plane.x_name = input.feature_names[0];
    result.plane.y_name = "(spread by chance)";
    place([](const RowSample::Drawn& rows) { return spread(rows.features, 1); });
  } else {
    Matrix rows = stacked(test.features, train != nullptr ? &train->features : nullptr);
    // What a map made has the units that it wants to have.
    const bool are_columns = input.feature_names == input.column_names;
    if (are_columns) make_comparable(rows);
    FeatureOptions options;
    options.features = {{.kind = "pca", .argument = "2"}};
    const FeatureChain chain = fit_features(options, {.rows = rows.view(), .threads = input.threads});
    const Matrix points = chain.apply(rows.view(), {.threads = input.threads});
    result.plane.x_name = "first principal component";
    result.plane.y_name = "second principal component";
    result.plane.note =
        fmt::format("The plane shows the first two principal components of the {}{} features.", n_features,
                    are_columns ? " standardised" : "");
    result.test = part_of(points, 0, test.features.n_rows());
    if (train != nullptr) result.train = part_of(points, test.features.n_rows(), train->features.n_rows());
  }
  set_range(result);
  return result;
}

ReportField make_field(const ReportPlane& plane, const PageMethod& method, Index n_classes) {
  Matrix centres(grid_size * grid_size, 2);
  const auto centre = [](double low, double high, Index cell) {
    return low + (high - low) * (static_cast<double>(cell) + 0.5) / static_cast<double>(grid_size);
  };
  for (Index i = 0; i < centres.n_rows(); ++i) {
    centres(i, 0) = centre(plane.x_low, plane.x_high, i % grid_size);
    centres(i, 1) = centre(plane.y_low, plane.y_high, i / grid_size);
  }
  Scores scores = method.score(centres.view());
  ReportField field;
  field.n_columns = field.n_rows = grid_size;
  for (Index y = 0; y < std::min(n_classes, max_field_classes); ++y) {
    field.classes.push_back(static_cast<int>(y));
    std::vector<double>& probability = field.probability.emplace_back();
    for (Index i = 0; i < centres.n_rows(); ++i) probability.push_back(scores.posterior(i, y));
  }
  field.prediction = std::move(scores.prediction);
  field.error_probability = std::move(scores.error_probability);
  return field;
}

} // namespace lacuna
