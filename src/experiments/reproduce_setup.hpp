#pragma once

#include <array>
#include <string>
#include <vector>

#include "experiments/reproduce.hpp"
#include "lacuna/features/vae_options.hpp"
#include "lacuna/learning/options.hpp"

namespace lacuna {

/// One way to fit: a method under a preset.
struct Contender {
  std::string preset; ///< "paper" or "default"
  Method method = Method::mar;
};

/// In the order of the results.
const std::vector<Contender>& contenders();

/// What an image experiment is made of.
struct ImageSetup {
  std::vector<int> rare_classes;
  VaeOptions vae;
  double paper_kappa = 0.0; ///< the threshold under preset paper
};

bool is_toy(const ReproduceRequest& request);
/// The toys, or one nameless subject for images.
std::vector<std::string> subjects_of(const ReproduceRequest& request);
ImageSetup image_setup(const ReproduceRequest& request);
LearningOptions learning_options(const ReproduceRequest& request, const Contender& contender);

} // namespace lacuna
