#pragma once

#include <cmath>
#include <cstdlib>
#include <string>

#include "lacuna/core/errors.hpp"
#include "lacuna/core/matrix.hpp"
#include "lacuna/pipeline/model.hpp"

// What fuzzers demand of answers. A breach ends the process, which is what a fuzzer looks for.

inline void require(bool holds) {
  if (!holds) std::abort();
}

/// An error about the content of a file, in a text that somebody can read.
inline void require_data_error(const lacuna::Error& error) {
  require(error.kind() == lacuna::ErrorKind::data);
  require(std::string(error.what()).size() < 2000);
}

/// Finite, in [0, 1], and rows that sum to one.
inline void require_probabilities(const lacuna::Scores& scores) {
  const auto is_share = [](double p) { return p >= 0.0 && p <= 1.0 + 1e-12; };
  for (lacuna::Index i = 0; i < scores.posterior.n_rows(); ++i) {
    const auto at = static_cast<std::size_t>(i);
    double sum = 0.0;
    for (lacuna::Index y = 0; y < scores.posterior.n_cols(); ++y) {
      require(is_share(scores.posterior(i, y)));
      sum += scores.posterior(i, y);
    }
    require(std::abs(sum - 1.0) < 1e-9);
    require(is_share(scores.error_probability[at]));
    require(scores.prediction[at] >= 0 && scores.prediction[at] < scores.posterior.n_cols());
    require(!std::isnan(scores.log_ratio[at])); // it may be infinite: classifier.hpp says where
  }
}

/// Rows near and far, with categories seen and unseen, and with gaps where the model takes them.
inline lacuna::Matrix rows_for(const lacuna::Model& model) {
  const lacuna::Index n_columns = model.schema.n_features();
  const double places[] = {0.0, 1.0, 3.5, -50.0, 1e30, -1e100, std::nan("")};
  const lacuna::Index n_rows = model.handles_missing_values() ? 7 : 6;
  lacuna::Matrix rows(n_rows, n_columns);
  for (lacuna::Index i = 0; i < n_rows; ++i)
    for (lacuna::Index j = 0; j < n_columns; ++j)
      rows(i, j) = i == 2 && j % 2 == 1 ? -1.0 : places[i]; // one row that is not the same in all columns
  // Categories are numbered from 0; no reader hands out anything else but gaps.
  const std::vector<lacuna::Index> levels = model.schema.levels();
  for (std::size_t j = 0; j < levels.size(); ++j)
    if (levels[j] > 0)
      for (lacuna::Index i = 0; i < n_rows; ++i)
        if (!std::isnan(rows(i, static_cast<lacuna::Index>(j))))
          rows(i, static_cast<lacuna::Index>(j)) = static_cast<double>(i % levels[j]);
  return rows;
}
