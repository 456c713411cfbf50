#pragma once

#include <memory>
#include <string>
#include <vector>

#include "lacuna/core/archive.hpp"
#include "lacuna/core/matrix.hpp"

namespace LACUNA_API lacuna {

/// How a map is applied to rows.
struct ApplyOptions {
  Index first_row = 0; ///< the number of the first row in its table, which keys random encodings
  int threads = 0;     ///< 0: all cores. Never changes a result
};

/// A fitted map from a table's features to those the densities see. Immutable; safe to use from many threads.
class FeatureMap {
public:
  virtual ~FeatureMap() = default;
  virtual Index n_inputs() const = 0;
  virtual Index n_outputs() const = 0;
  /// Names of the outputs: "pc1", "z1", or those of the inputs where each output stems from one input.
  virtual std::vector<std::string> output_names(const std::vector<std::string>& input_names) const = 0;
  /// out(i, .) = map of row i. Neither threads nor the cutting into blocks change a result.
  virtual void apply(MatrixView rows, const ApplyOptions& how, Matrix& out) const = 0;
  /// Whether a NaN may stand for a missing value; it then comes out as one.
  virtual bool handles_missing_values() const { return false; }
  /// "standardize", "pca", "vae".
  virtual std::string kind() const = 0;
  void save(Archive& archive, const std::string& prefix) const;

private:
  /// Writes what the map needs beside its kind to be loaded again.
  virtual void save_parts(Archive& archive, const std::string& prefix) const = 0;
};

/// Restores what FeatureMap::save wrote. Throws Error(data).
std::shared_ptr<const FeatureMap> load_feature_map(const Archive& archive, const std::string& prefix);

/// Maps applied one after the other; empty: the features as they are.
class FeatureChain {
public:
  FeatureChain() = default;
  explicit FeatureChain(std::vector<std::shared_ptr<const FeatureMap>> maps) : maps_(std::move(maps)) {}

  bool empty() const { return maps_.empty(); }
  const std::vector<std::shared_ptr<const FeatureMap>>& maps() const { return maps_; }
  /// Number of features after all maps, for `n_inputs` before them.
  Index n_outputs(Index n_inputs) const { return maps_.empty() ? n_inputs : maps_.back()->n_outputs(); }
  std::vector<std::string> output_names(std::vector<std::string> input_names) const;
  /// Throws Error(data) when a value is missing and a map of the chain needs complete rows; `names` of the
  /// inputs may be empty.
  void check_missing_values(MatrixView rows, const std::vector<std::string>& names, Index first_row) const;
  /// Throws Error(data) when the rows have another number of features than the first map was fitted on, or
  /// lack values that a map needs.
  Matrix apply(MatrixView rows, const ApplyOptions& how = {}) const;
  void save(Archive& archive, const std::string& prefix) const;
  static FeatureChain load(const Archive& archive, const std::string& prefix);

private:
  std::vector<std::shared_ptr<const FeatureMap>> maps_;
};

} // namespace lacuna
