#pragma once

#include <array>
#include <cstdint>
#include <queue>
#include <utility>
#include <vector>

#include "lacuna/core/matrix.hpp"
#include "lacuna/pipeline/model.hpp"

namespace LACUNA_API lacuna {

/// The most rows of one figure. Few labels among many rows must not drown, so each kind has its share.
inline constexpr Index max_labeled_drawn = 4'000;
inline constexpr Index max_unlabeled_drawn = 6'000;
inline constexpr Index max_test_drawn = 10'000;

/// Gathers what a page shows of rows that stream by: the log ratio of each, and the features of those that
/// are drawn. These are a random choice that depends on the rows' numbers alone.
class RowSample {
public:
  enum class Kind { train, test };

  struct Shape {
    Index n_columns = 0;  ///< of the table
    Index n_features = 0; ///< that the densities see
  };
  /// Columns are kept unless the table is too wide for words about them.
  RowSample(Kind kind, Shape shape);
  RowSample(Kind kind, const Model& model)
      : RowSample(kind, {model.schema.n_features(), model.classifier.n_features()}) {}

  /// `label` is a class number or missing_label.
  void add(const double* columns, const double* features, int label, double log_ratio);

  Index n_rows() const { return static_cast<Index>(log_ratio_.size()); }
  const std::vector<double>& log_ratio() const { return log_ratio_; } ///< of all rows
  std::vector<double>& log_ratio() { return log_ratio_; }

  /// The rows that are drawn, by rising number.
  struct Drawn {
    std::vector<Index> row;
    std::vector<int> label;
    Matrix columns;
    Matrix features;
  };
  Drawn drawn() const;

private:
  struct Candidate {
    std::uint64_t key;
    Index row;
    Index slot;
    bool operator<(const Candidate& other) const {
      return std::pair(key, row) < std::pair(other.key, other.row);
    }
  };
  /// The rows with the smallest keys; the largest of them on top.
  struct Sample {
    Index limit = 0;
    std::priority_queue<Candidate> chosen;
  };
  void keep(Index slot, const double* columns, const double* features, int label);

  Index n_columns_;
  Index n_features_;
  std::vector<double> log_ratio_;
  std::array<Sample, 2> samples_; ///< of unlabeled and of labeled rows
  std::vector<double> columns_;   ///< by slot
  std::vector<double> features_;
  std::vector<int> label_;
};

} // namespace lacuna
