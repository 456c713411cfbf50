#pragma once

#include <array>
#include <cstdint>

#include "lacuna/core/version.hpp"

namespace LACUNA_API lacuna {

/// What a random number is for. Streams with different purposes are independent for the same seed.
/// The numbers are part of the results: append, never renumber.
enum class RandomPurpose : std::uint32_t {
  start = 1,       ///< k-means++ starts
  restart = 2,     ///< the seed of each restart
  label_draw = 3,  ///< imputed labels, keyed by row
  draw = 4,        ///< the seed of each imputation
  fold = 5,        ///< cross-fitting folds, keyed by row
  class_model = 6, ///< the seed of each class's density
  unlabeled_model = 7,
  sample = 8,            ///< sampling from a fitted density
  simulation = 9,        ///< built-in toy data
  final_model = 10,      ///< the seed of the second stage
  missingness = 11,      ///< which labels are kept in a simulation, keyed by row or by draw
  repeat = 12,           ///< the seed of each repeat of an experiment
  start_rows = 13,       ///< which rows a mixture's start looks at, keyed by row
  resampling = 15,       ///< Bayesian bootstrap weights, keyed by row
  vae_weights = 20,      ///< first weights, keyed by layer
  vae_order = 21,        ///< order of the rows, keyed by epoch
  vae_noise = 22,        ///< of the latent values in training, keyed by epoch and block
  vae_encoding = 23,     ///< drawn encodings, keyed by row
  vae_held_out = 24,     ///< which rows are held out
  report_rows = 40,      ///< which rows a report draws, keyed by row
  dp_step = 50,          ///< one iteration of the Dirichlet process sampler, keyed by iteration
  dp_label = 51,         ///< its labels, keyed by unit
  dp_mixture = 52,       ///< a mixture drawn from its posterior
  row_lot = 60,          ///< predictions by lot, keyed by the row's values
  conditional = 61,      ///< the seed of each member of a stack, keyed by member and fold
  labeling = 62,         ///< the classifier of labeled against unlabeled rows
  unlabeled_sample = 63, ///< which unlabeled rows stand for all, keyed by row
  label_clusters = 64,   ///< clusters in which labels are counted
  episode = 65,          ///< simulated gaps, keyed by gap
  forest = 66,           ///< randomised trees, keyed by tree
  episode_label = 67,    ///< which labels the models of a gap learn from, keyed by row
  labeling_test = 68,    ///< the lots of a diagnosis; under it rows, permutations and shuffled columns
  accepted_sample = 70,  ///< which held-out rows stand for those to be answered, keyed by row
  advice = 71,           ///< which rows may be advised, keyed by row
};

/// A counter-based random stream (Philox 4x32-10): a pure function of (seed, purpose, index, position), so
/// that neither threads nor chunks nor the order of work change a number. Distributions are our own, because
/// the standard library's differ between platforms.
class RandomStream {
public:
  RandomStream(std::uint64_t seed, RandomPurpose purpose, std::uint64_t index = 0);

  std::uint64_t next();
  /// Uniform in (0, 1), never 0 and never 1.
  double uniform();
  double normal();
  /// Gamma with the given shape > 0 and scale 1.
  double gamma(double shape);

private:
  std::uint64_t seed_;
  std::uint64_t index_;
  std::uint32_t purpose_;
  std::uint32_t position_ = 0;
  std::array<std::uint32_t, 4> block_{};
  int left_ = 0;
};

/// A seed for a part of the work: the same part of the same run always gets the same one.
std::uint64_t derive_seed(std::uint64_t seed, RandomPurpose purpose, std::uint64_t index = 0);

/// The Philox 4x32-10 block function itself.
std::array<std::uint32_t, 4> philox(std::array<std::uint32_t, 4> counter, std::array<std::uint32_t, 2> key);

} // namespace lacuna
