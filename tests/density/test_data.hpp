#pragma once

#include <vector>

#include "lacuna/core/matrix.hpp"
#include "lacuna/core/random.hpp"

namespace lacuna::testing {

/// Rows from a few random Gaussian blobs.
inline Matrix random_blobs(std::uint64_t seed, Index n_rows, Index n_features, Index n_blobs,
                           double distance) {
  RandomStream random(seed, RandomPurpose::simulation);
  Matrix centers(n_blobs, n_features);
  Matrix spreads(n_blobs, n_features);
  for (double& c : centers.values()) c = distance * random.normal();
  for (double& s : spreads.values()) s = 0.3 + random.uniform();
  Matrix rows(n_rows, n_features);
  for (Index i = 0; i < n_rows; ++i) {
    const auto blob = static_cast<Index>(random.uniform() * static_cast<double>(n_blobs));
    double previous = 0.0; // correlates neighbouring features
    for (Index j = 0; j < n_features; ++j) {
      previous = spreads(blob, j) * random.normal() + 0.5 * previous;
      rows(i, j) = centers(blob, j) + previous;
    }
  }
  return rows;
}

inline std::vector<double> log_densities(const auto& density, const Matrix& rows) {
  std::vector<double> out(static_cast<std::size_t>(rows.n_rows()));
  density.log_density(rows.view(), out);
  return out;
}

} // namespace lacuna::testing
