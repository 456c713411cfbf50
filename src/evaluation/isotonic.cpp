#include "lacuna/evaluation/diagnostics.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "lacuna/core/errors.hpp"

namespace lacuna {

namespace {

/// Puts `next` behind `block`: sums are kept instead of means, so that whole numbers stay whole.
void append(IsotonicBlock& block, const IsotonicBlock& next) {
  const double weight = block.weight + next.weight;
  block.mean_x += (next.mean_x - block.mean_x) * (next.weight / weight);
  block.high = next.high;
  block.weight = weight;
}

/// A block under construction: `value` is made from the sum at the end.
struct Pool {
  IsotonicBlock block;
  double sum = 0.0;

  double mean() const { return sum / block.weight; }
  void take(const Pool& next) {
    append(block, next.block);
    sum += next.sum;
  }
};

Pool pool_of(const IsotonicPoint& point) {
  return {{point.x, point.x, point.x, point.y, point.weight}, point.weight * point.y};
}

void check(const IsotonicPoint& point, const IsotonicPoint* previous) {
  const bool is_finite = std::isfinite(point.x) && std::isfinite(point.y) && std::isfinite(point.weight);
  if (!is_finite || point.weight <= 0.0 || (previous != nullptr && previous->x > point.x))
    throw Error(ErrorKind::data, "isotonic regression wants finite points in rising order of x, with "
                                 "weights above zero");
}

} // namespace

std::vector<IsotonicBlock> isotonic_fit(std::span<const IsotonicPoint> points) {
  std::vector<Pool> pools;
  for (std::size_t i = 0; i < points.size();) {
    check(points[i], i > 0 ? &points[i - 1] : nullptr);
    Pool pool = pool_of(points[i]);
    for (++i; i < points.size() && points[i].x == pool.block.low; ++i) {
      check(points[i], &points[i - 1]);
      pool.take(pool_of(points[i]));
    }
    while (!pools.empty() && pools.back().mean() >= pool.mean()) {
      pools.back().take(pool);
      pool = pools.back();
      pools.pop_back();
    }
    pools.push_back(pool);
  }
  std::vector<IsotonicBlock> blocks;
  blocks.reserve(pools.size());
  for (Pool& pool : pools) {
    pool.block.value = pool.mean();
    blocks.push_back(pool.block);
  }
  return blocks;
}

double isotonic_value(std::span<const IsotonicBlock> blocks, double x) {
  const auto above = std::ranges::upper_bound(blocks, x, {}, &IsotonicBlock::low);
  if (above == blocks.begin()) return blocks.front().value;
  const IsotonicBlock& left = *std::prev(above);
  if (above == blocks.end() || x <= left.high) return left.value;
  const double share = (x - left.high) / (above->low - left.high);
  return left.value + share * (above->value - left.value);
}

CorpCurve corp_curve(std::span<const ErrorGroup> groups) {
  CorpCurve curve;
  std::vector<IsotonicPoint> points;
  points.reserve(groups.size());
  double n = 0.0;
  double n_errors = 0.0;
  double score = 0.0;
  for (const ErrorGroup& group : groups) {
    const auto size = static_cast<double>(group.n);
    const auto errors = static_cast<double>(group.n_errors);
    const double q = group.error_probability;
    points.push_back({q, errors / size, size});
    n += size;
    n_errors += errors;
    score += errors * (1.0 - q) * (1.0 - q) + (size - errors) * q * q;
  }
  curve.blocks = isotonic_fit(points);
  if (groups.empty()) n = std::numeric_limits<double>::quiet_NaN();
  // Within a block the fit is the mean of zeros and ones, which has a simple score.
  double recalibrated = 0.0;
  for (const IsotonicBlock& block : curve.blocks)
    recalibrated += block.weight * block.value * (1.0 - block.value);
  curve.uncertainty = n_errors / n * (1.0 - n_errors / n);
  curve.miscalibration = (score - recalibrated) / n;
  curve.discrimination = curve.uncertainty - recalibrated / n;
  return curve;
}

std::vector<IsotonicBlock> thinned(std::span<const IsotonicBlock> blocks, Index max_blocks) {
  const auto n = static_cast<Index>(blocks.size());
  if (n <= max_blocks) return {blocks.begin(), blocks.end()};
  std::vector<IsotonicBlock> result;
  for (Index k = 0; k < max_blocks; ++k) {
    const auto first = static_cast<std::size_t>(k * n / max_blocks);
    const auto last = static_cast<std::size_t>((k + 1) * n / max_blocks);
    IsotonicBlock merged = blocks[first];
    for (std::size_t i = first + 1; i < last; ++i) {
      merged.value +=
          (blocks[i].value - merged.value) * (blocks[i].weight / (merged.weight + blocks[i].weight));
      append(merged, blocks[i]);
    }
    result.push_back(merged);
  }
  return result;
}

} // namespace lacuna
