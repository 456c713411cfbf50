#pragma once

#include "lacuna/core/matrix.hpp"
#include "lacuna/core/random.hpp"

namespace lacuna {

/// A random stream that belongs to the values of a row alone: equal rows have equal streams, wherever they
/// stand. NaN is a value, 0 and -0 are the same one.
RandomStream row_lot(const double* row, Index n_features);

} // namespace lacuna
