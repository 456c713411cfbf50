#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lacuna/core/options.hpp"
#include "lacuna/data/table.hpp"
#include "lacuna/features/feature_map.hpp"
#include "lacuna/learning/classifier.hpp"
#include "lacuna/learning/learner.hpp"

namespace LACUNA_API lacuna {

/// Everything that decided a fit and what came of it. It is free of times, paths and thread counts, so that a
/// seed has one model file.
struct FitRecord {
  std::string version; ///< of lacuna
  std::uint64_t seed = 0;
  std::vector<std::pair<std::string, OptionValue>> options; ///< resolved, by name
  std::vector<std::string> classes;
  std::vector<std::string> features;       ///< as the table's columns make them
  std::vector<std::string> model_features; ///< as the densities see them
  FitSummary summary;
  std::vector<std::string> notes; ///< what was decided on the user's behalf; options are mentioned
  std::string label_type;         ///< Python: what the labels were before they became text

  /// The value of an option as text; empty when the record does not tell it.
  std::string option(std::string_view name) const;
};

/// Everything that one model file holds.
struct Model {
  TableSchema schema;
  FeatureChain features; ///< from the schema's features to those the classifier sees
  GenerativeClassifier classifier;
  FitRecord record;

  const std::vector<std::string>& class_names() const { return classifier.parts().class_names; }
  /// Whether a NaN may stand for a missing value in rows to score.
  bool handles_missing_values() const;
  /// Scores rows that are encoded as the schema says. Throws Error(data) that names row and column of a
  /// missing value where maps or densities need complete rows.
  Scores score(MatrixView rows, const ApplyOptions& how = {}) const;
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
