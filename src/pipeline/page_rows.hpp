#pragma once

#include <cstdint>
#include <queue>
#include <utility>
#include <vector>

#include "lacuna/core/matrix.hpp"

namespace lacuna {

/// The most rows of one kind that a page draws.
inline constexpr Index max_drawn_rows = 10'000;

/// Gathers what a page shows of rows that stream by: the log ratio of each, and the features of those that are
/// drawn. These are a random choice that depends on the number of rows alone.
class PageRows {
public:
  /// `n_columns` features of the table are kept, or none when the table is too wide for words about them;
  /// `n_features` are those the densities see.
  PageRows(Index n_columns, Index n_features);

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
  void keep(Index slot, const double* columns, const double* features, int label);

  Index n_columns_;
  Index n_features_;
  std::vector<double> log_ratio_;
  std::priority_queue<Candidate> chosen_; ///< the rows with the smallest keys; the largest of them on top
  std::vector<double> columns_;           ///< by slot
  std::vector<double> features_;
  std::vector<int> label_;
};

} // namespace lacuna
