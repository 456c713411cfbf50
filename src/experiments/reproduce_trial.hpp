#pragma once

#include <functional>
#include <string>
#include <vector>

#include "experiments/reproduce.hpp"
#include "lacuna/data/dataset.hpp"

namespace lacuna {

/// The data of one repeat: what a method learns from, and what it is judged on.
struct Trial {
  Dataset train;                  ///< hidden labels are missing; a row drawn twice has weight two
  std::vector<int> classes;       ///< of the training rows, hidden or not
  Dataset test;                   ///< fully labeled
  std::vector<char> test_is_rare; ///< per test row: in the rarely labeled region
};

/// What repeats have in common: one toy, or the features of one VAE.
struct Subject {
  std::string toy; ///< empty for images
  Index vae_seed = 0;
  /// The data of a repeat, drawn with its seed. Safe to call from many threads at once.
  std::function<Trial(std::uint64_t seed)> trial;
};

Subject toy_subject(const std::string& name);

/// Reads the images, fits the VAE of this seed unless the folder's cache has its features, and finds the
/// rare region.
Subject image_subject(const ReproduceRequest& request, Index vae_seed, Observer& observer);

/// A sum over the files of an image set, for the record of an experiment. Throws Error(no_input) when one is
/// missing.
std::string image_fingerprint(const ReproduceRequest& request);

} // namespace lacuna
