#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "lacuna/data/table.hpp"
#include "lacuna/features/feature_map.hpp"
#include "lacuna/learning/classifier.hpp"
#include "lacuna/pipeline/record.hpp"

namespace lacuna {

/// Everything that one model file holds.
struct Model {
  TableSchema schema;
  FeatureChain features; ///< from the schema's features to those the classifier sees
  GenerativeClassifier classifier;
  FitRecord record;

  const std::vector<std::string>& class_names() const { return classifier.parts().class_names; }
  /// Whether a NaN may stand for a missing value in rows to score.
  bool handles_missing_values() const;
  /// Scores rows that are encoded as the schema says, on up to `threads` threads (0: all cores); `first_row`
  /// is the number of the first in its table. Throws Error(data) that names row and column of a missing value
  /// where maps or densities need complete rows.
  Scores score(MatrixView rows, Index first_row = 0, int threads = 0) const;
};

/// Throws Error(cannot_write), without `overwrite` also when the path exists.
void save_model(const Model& model, const std::string& path, bool overwrite = false);
/// Throws Error(no_input) or Error(data).
Model load_model(const std::string& path);

/// The bytes of a model file: for those who have opened the output before the work began.
std::vector<char> encode_model(const Model& model);
/// The other way round; `name` is what errors call the source.
Model decode_model(std::string_view bytes, const std::string& name);

} // namespace lacuna
