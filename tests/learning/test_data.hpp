#pragma once

#include <cmath>
#include <numbers>
#include <span>
#include <utility>
#include <vector>

#include "lacuna/core/random.hpp"
#include "lacuna/learning/learner.hpp"

namespace lacuna::testing {

inline constexpr Method all_methods[] = {Method::supervised, Method::mcar_sampling, Method::mcar_em,
                                         Method::mar};

/// The defaults, with class densities alone as in the paper. The stack has tests of its own
/// (stacked_test.cpp).
inline LearningOptions densities_alone() {
  LearningOptions options;
  options.conditional = ConditionalForm::densities;
  return options;
}

inline LearningOptions quick(Method method) {
  LearningOptions options = densities_alone();
  options.method = method;
  options.density = VbMixtureOptions{.components = 3};
  options.draws = SoftLabels{};
  return options;
}

/// Rows of the classes a and b. `draw` fills a row, which it gets with its number, and returns its label.
template <class Draw>
Dataset drawn_rows(Index n, Index d, std::uint64_t seed, Draw draw) {
  RandomStream random(seed, RandomPurpose::simulation);
  Dataset data;
  data.features = Matrix(n, d);
  data.class_names = {"a", "b"};
  for (Index i = 0; i < n; ++i)
    data.labels.push_back(draw(random, i, std::span(data.features.row(i), static_cast<std::size_t>(d))));
  return data;
}

inline void draw_normal(RandomStream& random, std::span<double> row) {
  for (double& value : row) value = random.normal();
}

/// Two classes around (-3, 0) and (3, 0); `labeled` of the first rows have labels, `far` unlabeled rows lie
/// at (0, 12) where nothing is labeled.
inline Dataset two_classes(Index n, Index labeled, Index far) {
  Dataset data;
  data.features = Matrix(n + far, 2);
  data.class_names = {"a", "b"};
  data.feature_names = {"x1", "x2"};
  RandomStream random(3, RandomPurpose::simulation);
  for (Index i = 0; i < n + far; ++i) {
    const bool is_far = i >= n;
    data.features(i, 0) = (is_far ? 0.0 : i % 2 == 0 ? -3.0 : 3.0) + random.normal();
    data.features(i, 1) = (is_far ? 12.0 : 0.0) + random.normal();
    data.labels.push_back(i < labeled ? static_cast<int>(i % 2) : missing_label);
  }
  return data;
}

/// One Gaussian with unit variance: the smallest density a user could bring.
class UnitGaussian : public Density {
public:
  explicit UnitGaussian(std::vector<double> mean)
      : Density({"unit", static_cast<Index>(mean.size()), {}}), mean_(std::move(mean)) {}
  void log_density(MatrixView rows, std::span<double> out) const override {
    for (Index i = 0; i < rows.n_rows; ++i) {
      double sum = 0.0;
      for (Index j = 0; j < rows.n_cols; ++j)
        sum -= 0.5 * std::pow(rows(i, j) - mean_[static_cast<std::size_t>(j)], 2) +
               0.5 * std::log(2.0 * std::numbers::pi);
      out[static_cast<std::size_t>(i)] = sum;
    }
  }
  void sample(RandomStream&, std::span<double>) const override {}

private:
  void save_parts(Archive&, const std::string&) const override {}

  std::vector<double> mean_;
};

} // namespace lacuna::testing
