#include "learning/shared_models.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/index.hpp"
#include "core/parallel.hpp"
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
  const Index n_draws = std::get<Index>(options_.draws);
  if (n_draws == 1) return initial().classes;
  if (label_sources_.empty()) {
    initial(); // all of them need it
    std::vector<ClassModel> sources(at(n_draws));
    parallel_for(n_draws, fitter_.threads(), [&](Index source) {
      std::optional<ClassModel> drawn = draw_models(source, n_draws);
      sources[at(source)] = drawn ? std::move(*drawn) : fit_resampled(draw_seed(source));
    });
    label_sources_ = std::move(sources);
  }
  return label_sources_[at(draw)];
}

/// A draw from the posteriors of the initial models, when the family has them. The shares of the classes are
/// Dirichlet, as those of a Bayesian bootstrap.
std::optional<ClassModel> SharedModels::draw_models(Index draw, Index n_draws) {
  constexpr double next_to_nothing = 1e-300;
  const std::vector<RowList> rows = fitter_.labeled_rows();
  ClassModel model = initial().classes;
  double total = 0.0;
  for (const Index y : fitter_.class_order()) {
    const std::size_t place = at(y);
    const auto key = static_cast<std::uint64_t>(fitter_.class_key(y));
    model.density[place] = model.density[place]->posterior_draw(
        draw, n_draws, derive_seed(draw_seed(draw), RandomPurpose::class_model, key));
    if (model.density[place] == nullptr) return std::nullopt;
    RandomStream random(draw_seed(draw), RandomPurpose::resampling, key);
    model.probability[place] = std::max(random.gamma(rows[place].total_weight()), next_to_nothing);
    total += model.probability[place];
  }
  for (double& p : model.probability) p /= total;
  return model;
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
      RandomStream random(seed, RandomPurpose::resampling,
                          static_cast<std::uint64_t>(fitter_.data().number(list.rows[i])));
      list.weights[i] *= -std::log(random.uniform());
    }
    after += list.total_weight();
  }
  for (RowList& list : rows)
    for (double& weight : list.weights) weight *= before / after;
  return fitter_.fit_classes(rows, seed);
}

} // namespace lacuna
