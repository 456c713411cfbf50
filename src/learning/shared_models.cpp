#include "learning/shared_models.hpp"

#include <cmath>

#include "lacuna/core/random.hpp"
#include "learning/shrinkage.hpp"

namespace lacuna {

const InitialModels& SharedModels::initial() {
  if (!initial_) initial_ = fit_initial_models(cross_fit_, options_.kappa, options_.seed);
  return *initial_;
}

void SharedModels::voice_concern() {
  if (!is_concern_voiced_ && !initial().concern.empty()) fitter_.observer().warning(initial().concern);
  is_concern_voiced_ = true;
}

const Shrinkage& SharedModels::shrinkage() {
  if (!shrinkage_) shrinkage_ = choose_shrinkage(cross_fit_, options_.shrinkage);
  return *shrinkage_;
}

std::uint64_t SharedModels::draw_seed(Index draw) const {
  return derive_seed(derive_seed(options_.seed, RandomPurpose::final_model), RandomPurpose::draw,
                     static_cast<std::uint64_t>(draw));
}

const ClassModel& SharedModels::label_source(Index draw) {
  // Proper multiple imputation: several draws must differ by what the labeled rows leave open about the
  // models, not only by the labels' own chance, or their average is too sure.
  if (const auto* n_draws = std::get_if<Index>(&options_.draws); n_draws != nullptr && *n_draws == 1)
    return initial().classes;
  while (static_cast<Index>(label_sources_.size()) <= draw)
    label_sources_.push_back(fit_resampled(draw_seed(static_cast<Index>(label_sources_.size()))));
  return label_sources_[static_cast<std::size_t>(draw)];
}

/// Initial class models of a Bayesian bootstrap: every labeled row gets a random weight with mean one,
/// which stands for a draw from the posterior of the models given the labeled rows. Only the total of all
/// classes is kept: how large a share each class has is as uncertain as the rest.
ClassModel SharedModels::fit_resampled(std::uint64_t seed) const {
  std::vector<RowList> rows = fitter_.labeled_rows();
  double before = 0.0;
  double after = 0.0;
  for (RowList& list : rows) {
    before += list.total_weight();
    for (std::size_t i = 0; i < list.rows.size(); ++i) {
      RandomStream random(seed, RandomPurpose::resampling, static_cast<std::uint64_t>(list.rows[i]));
      list.weights[i] *= -std::log(random.uniform());
    }
    after += list.total_weight();
  }
  for (RowList& list : rows)
    for (double& weight : list.weights) weight *= before / after;
  return fitter_.fit_classes(rows, seed);
}

} // namespace lacuna
