#pragma once

#include <string>
#include <vector>

#include "lacuna/data/table.hpp"
#include "lacuna/learning/classifier.hpp"

namespace lacuna {

/// Everything that one model file holds.
struct Model {
  TableSchema schema;
  GenerativeClassifier classifier;
  std::string record; ///< JSON: version, resolved options, seed and summary of the fit
};

/// The bytes of a model file: for those who have opened the output before the work began.
std::vector<char> encode_model(const Model& model);
/// Throws Error(cannot_write), without `overwrite` also when the path exists.
void save_model(const Model& model, const std::string& path, bool overwrite);
/// Throws Error(no_input) or Error(data).
Model load_model(const std::string& path);

} // namespace lacuna
