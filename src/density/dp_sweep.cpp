#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "core/index.hpp"
#include "core/parallel.hpp"
#include "density/dp_steps.hpp"
#include "density/kernels.hpp"
#include "density/mixture_moments.hpp"

// Section and equation numbers refer to docs/math/dp-gmm.md.

namespace lacuna {

namespace {

constexpr RowBlocks::Limits sweep_limits{.min_rows = 2048, .max_blocks = 32};

/// A random order of the units: unit a comes before b when its key is smaller. Any order will do (section
/// 3.1), so a quick mix of bits is enough; the low bits are the unit's own, so that no two are equal.
class RandomOrder {
public:
  explicit RandomOrder(std::uint64_t seed) : seed_(seed) {}
  std::uint64_t key(Index unit) const {
    std::uint64_t x = (static_cast<std::uint64_t>(unit) + 1) * 0x9E3779B97F4A7C15U ^ seed_;
    x = (x ^ (x >> 32U)) * 0xD6E8FEB86659FD93U;
    x = (x ^ (x >> 29U)) * 0xA0761D6478BD642FU;
    return (x & 0xFFFFFFFF00000000U) | (static_cast<std::uint64_t>(unit) & 0xFFFFFFFFU);
  }

private:
  std::uint64_t seed_;
};

/// The key of each cluster's first unit in the order.
std::vector<std::uint64_t> first_keys(const DpState& state, const RandomOrder& order) {
  const RowBlocks tasks(state.units.size(), sweep_limits);
  const std::vector<std::uint64_t> none(state.clusters.size(), std::numeric_limits<std::uint64_t>::max());
  std::vector<std::vector<std::uint64_t>> partial(at(tasks.n_blocks), none);
  parallel_for(tasks.n_blocks, state.threads, [&](Index task) {
    std::vector<std::uint64_t> found = none;
    for (Index i = tasks.first(task); i < tasks.first(task + 1); ++i) {
      std::uint64_t& first = found[at(state.labels[at(i)])];
      first = std::min(first, order.key(i));
    }
    partial[at(task)] = std::move(found);
  });
  std::vector<std::uint64_t> result = none;
  for (const auto& found : partial)
    for (std::size_t k = 0; k < result.size(); ++k) result[k] = std::min(result[k], found[k]);
  return result;
}

/// What one task finds out about the clusters.
struct TaskSums {
  MixtureMoments moments;
  std::vector<Index> n_units;
};

/// Draws the labels of consecutive units and sums up the moments that they give.
class LabelDraw {
public:
  LabelDraw(DpState& state, const MixtureTerms& terms, const RandomOrder& order,
            const std::vector<std::uint64_t>& first, std::uint64_t seed)
      : state_(state), terms_(terms), order_(order), first_(first),
        last_first_(*std::max_element(first.begin(), first.end())), seed_(seed),
        block_(state.frame, terms.n_components()), target_(at(block_.capacity())),
        sum_(at(block_.capacity())), label_(at(block_.capacity())), key_(at(block_.capacity())),
        packed_stride_(block_.capacity() + kernel_lanes * terms.n_components()),
        packed_(at(packed_stride_ * terms.n_features())), packed_weight_(at(packed_stride_)),
        scratch_(at(packed_stride_ * moments_scratch(terms.n_features()))),
        place_(at(terms.n_components() + 1)) {}

  void run(Index first, Index end, TaskSums& sums) {
    for (; first < end; first += block_.capacity()) {
      block_.load(state_.units, first, std::min(block_.capacity(), end - first));
      evaluate_terms(terms_, block_);
      kernels().responsibilities(block_.logits(), block_.stride(), block_.n_padded(), terms_.n_components(),
                                 block_.weights(), block_.totals());
      draw(first);
      for (Index b = 0; b < block_.n_rows(); ++b)
        state_.labels[at(first + b)] = static_cast<std::int32_t>(label_[at(b)]);
      add_moments(sums);
    }
  }

private:
  /// A uniform number per unit, times its weight. Two neighbours share a stream: its block function makes two
  /// numbers at a time.
  void draw_targets(Index first) {
    for (Index b = first % 2 == 0 ? 0 : -1; b < block_.n_rows(); b += 2) {
      RandomStream random(seed_, RandomPurpose::dp_label, static_cast<std::uint64_t>((first + b) / 2));
      const double pair[2] = {random.uniform(), random.uniform()};
      for (Index i = std::max<Index>(b, 0); i < std::min(b + 2, block_.n_rows()); ++i)
        target_[at(i)] = pair[i - b] * block_.weights()[i];
    }
    for (Index b = 0; b < block_.n_rows(); ++b) key_[at(b)] = order_.key(first + b);
  }

  /// Labels from the probabilities, which sum to the rows' weights.
  void draw(Index first) {
    const Index n = block_.n_padded();
    draw_targets(first);
    std::fill_n(sum_.begin(), n, 0.0);
    std::fill_n(label_.begin(), n, 0.0);
    for (Index k = 0; k + 1 < terms_.n_components(); ++k) { // without a branch: nobody can guess these
      const double* const p = block_.logits() + k * block_.stride();
      for (std::size_t b = 0; b < at(n); ++b) {
        sum_[b] += p[b];
        label_[b] += sum_[b] < target_[b] ? 1.0 : 0.0;
      }
    }
    for (Index b = 0; b < block_.n_rows(); ++b)
      if (key_[at(b)] <= last_first_) label_[at(b)] = restricted(b, state_.labels[at(first + b)]);
  }

  /// The label of a unit that cannot go everywhere: not before a cluster's first unit, and such a unit not at
  /// all.
  double restricted(Index b, std::int32_t old) {
    const std::uint64_t key = key_[at(b)];
    if (key == first_[at(old)]) return old;
    double total = 0.0;
    for (std::size_t k = 0; k < first_.size(); ++k)
      if (first_[k] < key) total += block_.logits()[static_cast<Index>(k) * block_.stride() + b];
    // Where all that are open to it have underflown, whatever the unit's label is, it stays.
    if (!(total > 0.0)) return old;
    double left = target_[at(b)] / block_.weights()[b] * total;
    std::size_t chosen = at(old);
    for (std::size_t k = 0; k < first_.size(); ++k) {
      const double p = block_.logits()[static_cast<Index>(k) * block_.stride() + b];
      if (first_[k] >= key || p <= 0.0) continue;
      chosen = k;
      left -= p;
      if (left < 0.0) break;
    }
    return static_cast<double>(chosen);
  }

  /// Rows of one cluster side by side, so that each row costs one cluster's moments, not all of them.
  void add_moments(TaskSums& sums) {
    const Index n_clusters = terms_.n_components();
    std::fill(place_.begin(), place_.end(), 0);
    for (Index b = 0; b < block_.n_rows(); ++b) ++place_[static_cast<std::size_t>(label_[at(b)]) + 1];
    for (Index k = 0; k < n_clusters; ++k) {
      sums.n_units[at(k)] += place_[at(k + 1)];
      place_[at(k + 1)] =
          place_[at(k)] + (place_[at(k + 1)] + kernel_lanes - 1) / kernel_lanes * kernel_lanes;
    }
    std::fill_n(packed_weight_.begin(), place_.back(), 0.0);
    const std::vector<Index> begin(place_.begin(), place_.end());
    for (Index b = 0; b < block_.n_rows(); ++b) {
      const Index to = place_[static_cast<std::size_t>(label_[at(b)])]++;
      packed_weight_[at(to)] = block_.weights()[b];
      for (Index j = 0; j < terms_.n_features(); ++j)
        packed_[at(j * packed_stride_ + to)] = block_.features()[j * block_.stride() + b];
    }
    for (Index k = 0; k < n_clusters; ++k) {
      const Index from = begin[at(k)];
      if (begin[at(k + 1)] == from) continue;
      kernels().moments_full(packed_.data() + from, packed_stride_, begin[at(k + 1)] - from,
                             terms_.n_features(), sums.moments.shift.row(k), packed_weight_.data() + from,
                             scratch_.data(), &sums.moments.zeroth[at(k)], sums.moments.first.row(k),
                             sums.moments.second.row(k));
    }
  }

  DpState& state_;
  const MixtureTerms& terms_;
  const RandomOrder& order_;
  const std::vector<std::uint64_t>& first_;
  std::uint64_t last_first_;
  std::uint64_t seed_;
  RowBlock block_;
  std::vector<double> target_;
  std::vector<double> sum_;
  std::vector<double> label_;
  std::vector<std::uint64_t> key_;
  Index packed_stride_;
  AlignedDoubles packed_; ///< padding holds rows of earlier blocks, which have no weight
  AlignedDoubles packed_weight_;
  AlignedDoubles scratch_; ///< of moments_full
  std::vector<Index> place_;
};

} // namespace

RowStatistics statistics_of(const MixtureMoments& moments, Index k) {
  const auto copy = [k](const Matrix& from) {
    return std::vector<double>(from.row(k), from.row(k) + from.n_cols());
  };
  RowStatistics rows(copy(moments.shift));
  rows.n = moments.zeroth[at(k)];
  rows.first = copy(moments.first);
  rows.second = copy(moments.second);
  return rows;
}

MixtureTerms make_terms(std::span<const Normal> normals, std::span<const double> log_weights) {
  const auto n = static_cast<Index>(normals.size());
  const auto d = static_cast<Index>(normals.front().mean.size());
  MixtureTerms terms;
  terms.mean = Matrix(n, d);
  terms.whitener = Matrix(n, d * (d + 1) / 2);
  for (Index k = 0; k < n; ++k) {
    const Normal& normal = normals[at(k)];
    std::copy(normal.mean.begin(), normal.mean.end(), terms.mean.row(k));
    std::copy(normal.whitener.begin(), normal.whitener.end(), terms.whitener.row(k));
    terms.constant.push_back(log_weights[at(k)] + 0.5 * normal.log_det -
                             0.5 * static_cast<double>(d) * std::log(2.0 * std::numbers::pi));
  }
  return terms;
}

double log_likelihood(const WeightedRows& rows, const DpState& state, const MixtureTerms& terms) {
  const RowBlocks tasks(rows.size(), sweep_limits);
  std::vector<double> partial(at(tasks.n_blocks));
  parallel_for(tasks.n_blocks, state.threads, [&](Index task) {
    stop_if_cancelled(state.observer);
    RowBlock block(state.frame, terms.n_components(), tasks.size(task));
    for (Index first = tasks.first(task); first < tasks.first(task + 1); first += block.capacity()) {
      block.load(rows, first, std::min(block.capacity(), tasks.first(task + 1) - first));
      evaluate_terms(terms, block);
      kernels().log_sum_exp(block.logits(), block.stride(), block.n_padded(), terms.n_components(),
                            block.totals());
      for (Index b = 0; b < block.n_rows(); ++b) partial[at(task)] += block.weights()[b] * block.totals()[b];
    }
  });
  double sum = 0.0;
  for (const double part : partial) sum += part;
  return sum;
}

void resample_labels(DpState& state, RandomStream& random) {
  if (state.clusters.size() < 2) return; // the only unit that could leave would found a cluster
  std::vector<Normal> normals;
  std::vector<double> log_weights; // up to a constant that all have: the share of clusters yet unseen
  for (const DpCluster& cluster : state.clusters) {
    log_weights.push_back(draw_log_gamma(random, cluster.rows.n));
    normals.push_back(cluster.posterior.draw(random));
  }
  const MixtureTerms terms = make_terms(normals, log_weights);
  const RandomOrder order(random.next());
  const std::uint64_t label_seed = random.next();
  const std::vector<std::uint64_t> first = first_keys(state, order);

  Matrix centers(terms.n_components(), terms.n_features());
  for (Index k = 0; k < centers.n_rows(); ++k) {
    const std::vector<double>& mean = state.clusters[at(k)].posterior.mean;
    std::copy(mean.begin(), mean.end(), centers.row(k));
  }
  TaskSums total{MixtureMoments(std::move(centers), false), std::vector<Index>(state.clusters.size())};
  const RowBlocks tasks(state.units.size(), sweep_limits);
  std::vector<TaskSums> partial(at(tasks.n_blocks), total);
  parallel_for(tasks.n_blocks, state.threads, [&](Index task) {
    stop_if_cancelled(state.observer);
    LabelDraw(state, terms, order, first, label_seed)
        .run(tasks.first(task), tasks.first(task + 1), partial[at(task)]);
  });
  for (const TaskSums& sums : partial) {
    total.moments.add(sums.moments);
    for (std::size_t k = 0; k < sums.n_units.size(); ++k) total.n_units[k] += sums.n_units[k];
  }
  for (Index k = 0; k < terms.n_components(); ++k)
    state.clusters[at(k)] = state.make_cluster(statistics_of(total.moments, k), total.n_units[at(k)]);
}

} // namespace lacuna
