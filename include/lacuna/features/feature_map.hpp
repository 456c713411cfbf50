#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "lacuna/core/archive.hpp"
#include "lacuna/core/matrix.hpp"
#include "lacuna/core/observer.hpp"

namespace lacuna {

/// A fitted map from a table's features to those the densities see. Immutable; safe to use from many threads.
class FeatureMap {
public:
  virtual ~FeatureMap() = default;
  virtual Index n_inputs() const = 0;
  virtual Index n_outputs() const = 0;
  /// out(i, .) = map of row i; `first_row` is the number of the first row in its table, which keys random
  /// encodings.
  virtual void apply(MatrixView rows, Index first_row, Matrix& out) const = 0;
  /// "standardize", "pca", "vae".
  virtual std::string kind() const = 0;
  virtual void save(Archive& archive, const std::string& prefix) const = 0;
};

/// Restores what FeatureMap::save wrote.
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
  Matrix apply(MatrixView rows, Index first_row) const;
  void save(Archive& archive, const std::string& prefix) const;
  static FeatureChain load(const Archive& archive, const std::string& prefix);

private:
  std::vector<std::shared_ptr<const FeatureMap>> maps_;
};

} // namespace lacuna
