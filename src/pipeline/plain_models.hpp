#pragma once

#include <memory>
#include <string>
#include <vector>

#include "lacuna/conditional/conditional.hpp"
#include "lacuna/pipeline/model.hpp"
#include "pipeline/class_isotonic.hpp"

namespace LACUNA_API lacuna {

/// What people use who do not ask where the labels are: a classifier fitted to the labeled rows alone, as it
/// is or with isotonic calibration. It has no region; its error probability is 1 - max p.
struct PlainModel {
  std::string name;
  std::shared_ptr<const Conditional> fitted;
  ClassIsotonic isotonic = {};

  /// Of rows as the densities see them.
  Matrix probabilities(MatrixView features, int threads) const;
};

/// The plain models, and why some of them are left out; empty when none is.
struct PlainModels {
  std::vector<PlainModel> models; ///< logistic, logistic-isotonic, boosting, boosting-isotonic
  std::string left_out;
};

/// Fits them to what `like` was fitted to, by its maps and its seed. The isotonic ones learn from five folds
/// whose labels were held out.
PlainModels fit_plain_models(const Model& like, DatasetView data, int threads, Observer& observer);

/// The probabilities of a table's rows, encoded as the schema of `like` says.
Matrix plain_probabilities(const PlainModel& plain, const Model& like, MatrixView columns,
                           const ApplyOptions& how);

} // namespace lacuna
