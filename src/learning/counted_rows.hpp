#pragma once

#include "lacuna/data/dataset.hpp"

namespace lacuna {

/// Whether a row has weight 0.
bool has_uncounted_rows(const DatasetView& data);

/// A copy without rows of weight 0: lots are keyed by the numbers of rows, so that leaving them where they
/// are would change folds and samples.
Dataset counted_rows(const DatasetView& data);

} // namespace lacuna
