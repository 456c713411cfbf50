#pragma once

#include "lacuna/core/random.hpp"
#include "lacuna/learning/learner.hpp"

namespace lacuna::testing {

inline constexpr Method all_methods[] = {Method::supervised, Method::mcar_sampling, Method::mcar_em,
                                         Method::mar};

inline LearningOptions quick(Method method) {
  LearningOptions options;
  options.method = method;
  options.density = VbMixtureOptions{.components = 3};
  options.draws = SoftLabels{};
  return options;
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

} // namespace lacuna::testing
