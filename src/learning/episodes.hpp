#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "lacuna/core/options.hpp"
#include "lacuna/data/dataset.hpp"

namespace lacuna {

/// Ways in which labels go missing, as labeling makes them.
enum class GapKind { feature, half_space, ball, class_region, cluster, category };
constexpr auto choice_names(GapKind) {
  return std::array{ChoiceName{GapKind::feature, "feature"}, ChoiceName{GapKind::half_space, "half-space"},
                    ChoiceName{GapKind::ball, "ball"},       ChoiceName{GapKind::class_region, "class"},
                    ChoiceName{GapKind::cluster, "cluster"}, ChoiceName{GapKind::category, "category"}};
}
inline constexpr std::size_t n_gap_kinds = choice_names(GapKind{}).size();

/// A simulated gap: labeled rows whose labels are hidden.
struct Episode {
  GapKind kind = GapKind::feature;
  std::vector<char> hidden; ///< one per labeled row
};

/// What gaps are cut from; one entry per labeled row.
struct EpisodeRows {
  const DatasetView& data;
  const std::vector<Index>& rows;         ///< their numbers in the table
  const Matrix& points;                   ///< where they lie (Embedding)
  const Matrix& out_of_fold;              ///< class probabilities by models that did not see the label
  std::vector<std::vector<int>> clusters; ///< groups of several sizes: the cluster of each row
};

/// Up to `n` gaps, of all kinds in turn; those that hide too little or leave too little are left out.
std::vector<Episode> make_episodes(const EpisodeRows& labeled, Index n, std::uint64_t seed);

/// The labels of these data, of which no more than `most` are kept, by lot; the others are missing then.
std::vector<int> labels_by_lot(const DatasetView& data, std::size_t most, std::uint64_t seed);

} // namespace lacuna
