#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "density/frame.hpp"
#include "lacuna/core/archive.hpp"
#include "lacuna/core/matrix.hpp"
#include "lacuna/core/observer.hpp"

namespace lacuna {

/// Centres and the nearest centre of every row, where a mixture may begin.
struct KmeansStart {
  Matrix centers; ///< of the numeric features, in the frame; fewer than asked for when the rows have fewer
                  ///< distinct values
  std::vector<int> assignment;
};

/// Centres found among some rows, to which others of the same frame can be assigned.
class StartCenters {
public:
  /// Greedy k-means++ seeds followed by a few Lloyd rounds.
  StartCenters(const WeightedRows& rows, const Frame& frame, Index n_centers, std::uint64_t seed, int threads,
               const Observer& observer);

  /// Of the numeric features, in the frame.
  Matrix centers() const;
  /// The nearest centre of every row.
  std::vector<int> assign(const WeightedRows& rows, const Frame& frame, int threads) const;

  void save(Archive& archive, const std::string& prefix) const;
  static StartCenters load(const Archive& archive, const std::string& prefix);

private:
  StartCenters() = default;

  Index n_numbers_ = 0;         ///< numeric features
  std::vector<double> heights_; ///< of the columns of categories
  Matrix centers_;              ///< with the coordinates of the categories
};

/// Greedy k-means++ seeds followed by a few Lloyd rounds. Depends on the seed and the rows, not on the
/// threads.
KmeansStart kmeans_start(const WeightedRows& rows, const Frame& frame, Index n_centers, std::uint64_t seed,
                         int threads, const Observer& observer);

} // namespace lacuna
