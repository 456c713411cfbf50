#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "lacuna/data/table.hpp"
#include "lacuna/features/feature_map.hpp"
#include "lacuna/learning/classifier.hpp"

namespace lacuna {

/// Everything that one model file holds.
struct Model {
  TableSchema schema;
  FeatureChain features; ///< from the schema's features to those the classifier sees
  GenerativeClassifier classifier;
  std::string record; ///< JSON: version, resolved options, seed and summary of the fit

  /// Scores rows that are encoded as the schema says; `first_row` is the number of the first in its table.
  Scores score(MatrixView rows, Index first_row, int threads) const;
  /// Throws Error(data) that names row and column of a missing value where maps or densities need complete
  /// rows. `score` does it too; those who map and score by themselves call it first.
  void check_missing_values(MatrixView rows, Index first_row) const;
};

/// The bytes of a model file: for those who have opened the output before the work began.
std::vector<char> encode_model(const Model& model);
/// Throws Error(cannot_write), without `overwrite` also when the path exists.
void save_model(const Model& model, const std::string& path, bool overwrite);
/// The other way round; `name` is what errors call the source.
Model decode_model(std::string_view bytes, const std::string& name);
/// Throws Error(no_input) or Error(data).
Model load_model(const std::string& path);

} // namespace lacuna
