#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "lacuna/pipeline/explain.hpp"
#include "pipeline/labeled_blocks.hpp"

namespace lacuna {

/// The labeled rows that are nearest to `row`, as the schema encodes it. The training rows pass by twice,
/// once for the scale of each column.
std::vector<NearRow> nearest_labeled(const Model& model, const double* row,
                                     const std::function<std::unique_ptr<LabeledBlocks>()>& training,
                                     Observer& observer);

} // namespace lacuna
