#pragma once

#include <memory>

#include "arrays.hpp"
#include "lacuna/core/errors.hpp"
#include "lacuna/density/density.hpp"

namespace lacuna::python {

/// pybind11 2.10 holds no pointers to const; this one is never changed either.
struct FittedDensity {
  std::shared_ptr<const Density> density;
};

/// Rows for a density; throws Error(data) when they have another number of features.
inline MatrixView rows_for(const Density& density, const Numbers& features) {
  const MatrixView rows = matrix_view(features);
  if (rows.n_cols != density.n_features())
    throw Error(ErrorKind::data, "the rows have " + std::to_string(rows.n_cols) +
                                     " features, the density was fitted with " +
                                     std::to_string(density.n_features()));
  return rows;
}

} // namespace lacuna::python
