#pragma once

#include <memory>

#include "data/whole_table.hpp"
#include "lacuna/pipeline/fit.hpp"

namespace lacuna {

/// The rows of a task as learning sees them: checked, and behind the maps that the request asks for.
struct SeenRows {
  TableSchema schema;
  FeatureChain features;
  LearningOptions learning;
  Matrix mapped;                                  ///< empty without maps
  std::shared_ptr<const WholeTable> mapped_table; ///< null without maps, or when all rows are in memory
  DatasetView view;                               ///< of these, or of the task's own rows
};

/// Throws as FitPlan::fit does.
SeenRows see_rows(const FitPlan& plan, const FitTask& task, Observer& observer);

} // namespace lacuna
