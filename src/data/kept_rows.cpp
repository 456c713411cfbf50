#include "data/kept_rows.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "lacuna/core/random.hpp"

namespace lacuna {

std::uint64_t draw_key(std::uint64_t seed, Index number) {
  return derive_seed(seed, RandomPurpose::unlabeled_sample, static_cast<std::uint64_t>(number));
}

namespace {

/// Numbers of the rows without a label that a draw takes.
std::vector<Index> drawn_rows(const RowDraw& draw, const std::vector<Index>& labeled, Index n_rows,
                              const Observer& observer) {
  constexpr Index rows_between_looks = 65536;
  using Keyed = std::pair<std::uint64_t, Index>;
  const auto most = static_cast<std::size_t>(draw.most);
  std::vector<Keyed> keyed;
  const auto keep_smallest = [&] {
    if (keyed.size() <= most) return;
    std::ranges::nth_element(keyed, keyed.begin() + static_cast<std::ptrdiff_t>(most));
    keyed.resize(most);
  };
  std::uint64_t highest = std::numeric_limits<std::uint64_t>::max(); // a larger key has no chance
  auto next_labeled = labeled.begin();
  for (Index number = 0; number < n_rows; ++number) {
    if (number % rows_between_looks == 0) stop_if_cancelled(observer);
    if (next_labeled != labeled.end() && *next_labeled == number) {
      ++next_labeled;
      continue;
    }
    const std::uint64_t key = draw_key(draw.seed, number);
    if (key > highest) continue;
    keyed.emplace_back(key, number);
    if (keyed.size() < 2 * most + 1024) continue;
    keep_smallest();
    highest = std::ranges::max_element(keyed)->first;
  }
  keep_smallest();
  std::vector<Index> rows;
  for (const Keyed& each : keyed) rows.push_back(each.second);
  return rows;
}

} // namespace

std::vector<Index> kept_rows(const std::vector<RowDraw>& draws, const std::vector<Index>& labeled,
                             Index n_rows, const Observer& observer) {
  std::vector<Index> kept = labeled;
  for (const RowDraw& draw : draws) {
    const std::vector<Index> drawn = drawn_rows(draw, labeled, n_rows, observer);
    kept.insert(kept.end(), drawn.begin(), drawn.end());
  }
  std::ranges::sort(kept);
  kept.erase(std::unique(kept.begin(), kept.end()), kept.end());
  return kept;
}

} // namespace lacuna
