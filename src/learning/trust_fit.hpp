#pragma once

#include <cstdint>
#include <vector>

#include "lacuna/learning/learner.hpp"
#include "learning/density_member.hpp"
#include "learning/label_distance.hpp"
#include "learning/label_share.hpp"
#include "learning/labeling.hpp"
#include "learning/trust.hpp"

namespace lacuna {

/// What episodes need; all borrowed.
struct TrustFit {
  const DensityFitter& fitter;
  const StackRecipe& recipe;
  const DensityMember& densities;
  const InitialModels& initial;
  const LabelingFit* labeling; ///< null: the region is one of densities
  const LabelShareFit& share_fit;
  const LabelShare& share;
  const LabelDistanceFit& distance_fit;
  double kappa = 0.0;
  TrustForm form = TrustForm::regions;
  int threads = 1;
  std::uint64_t seed = 0;
};

/// Hides labels of the labeled rows by simulated gaps, learns without them, and asks about the hidden rows.
/// `gaps` gets what each showed.
std::vector<HiddenRow> hide_and_ask(const TrustFit& fit, std::vector<GapRecord>& gaps);

/// The trust that the episodes justify: one of all kinds, or one per kind of which the least counts.
std::vector<Trust> fit_trust(const std::vector<HiddenRow>& rows, TrustForm form, Index n_classes,
                             Index n_labeled);

} // namespace lacuna
