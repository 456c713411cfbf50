#pragma once

#include "lacuna/pipeline/model.hpp"

namespace lacuna {

/// Rows as a model's maps leave them: the one place where rows are mapped before they are scored. Models of
/// one fit have the same maps, so one of them maps for all. Neither copied nor moved: it may show its own
/// matrix or that of the caller, which must outlive it.
class MappedRows {
public:
  /// `columns` are encoded as the model's schema says.
  /// Throws Error(data) that names row and column of a missing value where maps or densities need complete
  /// rows.
  MappedRows(const Model& model, MatrixView columns, const ApplyOptions& how);
  MappedRows(const MappedRows&) = delete;
  MappedRows& operator=(const MappedRows&) = delete;

  /// What the densities see.
  MatrixView features() const { return features_; }

private:
  Matrix mapped_;
  MatrixView features_;
};

} // namespace lacuna
