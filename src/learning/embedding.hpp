#pragma once

#include <memory>
#include <string>
#include <vector>

#include "conditional/logistic_inputs.hpp"
#include "lacuna/core/matrix.hpp"

namespace lacuna {

/// Rows as points between which distances mean something: standardised, clipped numbers, and a coordinate per
/// category.
class Embedding {
public:
  /// Scales are those of the given rows.
  Embedding(const DatasetView& data, const std::vector<Index>& rows, const std::vector<double>& weights);

  std::size_t size() const { return inputs_.size(); }
  void embed(const double* row, std::span<double> point) const;
  Matrix embed(MatrixView rows) const;
  /// The same for some rows of a table.
  Matrix embed(MatrixView table, const std::vector<Index>& rows) const;

  void save(Archive& archive, const std::string& prefix) const;
  /// Throws Error(data).
  static Embedding load(const Archive& archive, const std::string& prefix, Index n_features);

private:
  explicit Embedding(LogisticInputs inputs) : inputs_(std::move(inputs)) {}

  LogisticInputs inputs_;
};

std::span<const double> point_of(const Matrix& points, Index i);
double squared_distance(std::span<const double> a, std::span<const double> b);

/// A few rounds of k-means from k-means++ seeds; fewer centres when there are fewer different points.
Matrix cluster_centers(const Matrix& points, Index n_centers, std::uint64_t seed);
std::size_t nearest_row(const Matrix& candidates, std::span<const double> point);

} // namespace lacuna
