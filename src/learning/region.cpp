#include "learning/region.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include <fmt/format.h>

#include "core/index.hpp"
#include "core/order.hpp"
#include "data/whole_table.hpp"
#include "lacuna/core/errors.hpp"
#include "lacuna/core/random.hpp"
#include "learning/evidence.hpp"

namespace lacuna {

namespace {

/// Log ratios of labeled rows from models that did not see them.
struct HeldOutRatios {
  std::vector<double> ratios;
  std::vector<double> weights;
};

HeldOutRatios held_out_ratios(CrossFit& cross_fit, const Density& unlabeled) {
  const DensityFitter& fitter = cross_fit.fitter();
  const HeldOutRows& held_out = cross_fit.held_out();
  const Matrix rows = gather_rows(fitter.data(), held_out.rows.rows);
  HeldOutRatios result{log_densities(unlabeled, rows.view(), fitter.threads()), held_out.rows.weights};
  for (Index i = 0; i < rows.n_rows(); ++i) {
    const double* const densities = held_out.log_density.row(i);
    double& ratio = result.ratios[at(i)];
    ratio = *std::max_element(densities, densities + fitter.n_classes()) - ratio;
  }
  return result;
}

double share_below_floor(const HeldOutRatios& held_out) {
  double below = 0.0;
  double all = 0.0;
  for (std::size_t i = 0; i < held_out.ratios.size(); ++i) {
    all += held_out.weights[i];
    if (held_out.ratios[i] <= lowest_auto_kappa) below += held_out.weights[i];
  }
  return below / all;
}

/// Sets the threshold that at most a share alpha of rows like the labeled ones does not pass.
void choose_kappa(CrossFit& cross_fit, double alpha, InitialModels& models) {
  const HeldOutRatios held_out = held_out_ratios(cross_fit, *models.unlabeled);
  if (held_out.ratios.empty()) {
    models.concern = "kappa cannot be chosen from the labeled rows because no class has two of them; using 0";
    return;
  }
  models.kappa_asked = quantile_threshold(held_out.ratios, held_out.weights, alpha);
  models.kappa = std::max(models.kappa_asked, lowest_auto_kappa);
  if (models.kappa == models.kappa_asked) return;
  models.concern = fmt::format("the densities do not fit these data: {} auto:{} asks for {:.3g}, where even "
                               "the likeliest class is far "
                               "less dense than the unlabeled rows; it stays at {:g}, which calls {:.0f} % "
                               "of rows like the labeled ones "
                               "uninformative. Try another {}, or a map such as pca or vae in {}; with a {} "
                               "of your own there is no floor",
                               mention("kappa"), alpha, models.kappa_asked, lowest_auto_kappa,
                               100.0 * share_below_floor(held_out), mention("density"), mention("features"),
                               mention("kappa"));
}

} // namespace

double quantile_threshold(std::vector<double> ratios, std::vector<double> weights, double alpha) {
  std::vector<std::size_t> order(ratios.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return NanLast{}(ratios[a], ratios[b]); });
  const double allowed = alpha * std::accumulate(weights.begin(), weights.end(), 0.0) * (1.0 + 1e-12);
  double below = 0.0;
  double threshold = std::nextafter(ratios[order.front()], -std::numeric_limits<double>::infinity());
  for (std::size_t i = 0; i < order.size();) {
    const double value = ratios[order[i]];
    if (std::isnan(value)) break;
    for (; i < order.size() && ratios[order[i]] == value; ++i) below += weights[order[i]];
    if (below > allowed) break;
    threshold = value;
  }
  return threshold;
}

InitialModels fit_initial_models(CrossFit& cross_fit, const Kappa& kappa, std::uint64_t seed) {
  const DensityFitter& fitter = cross_fit.fitter();
  const DatasetView& data = fitter.data();
  InitialModels models;
  models.classes = fitter.fit_classes(fitter.labeled_rows(), seed);
  models.informative.assign(at(data.n_rows()), 0);
  const auto* const chosen = std::get_if<AutoKappa>(&kappa);
  models.kappa = models.kappa_asked = chosen != nullptr ? 0.0 : std::get<double>(kappa);

  const double total = fitter.unlabeled_weight();
  if (!(total > 0.0)) return models;
  models.unlabeled = fitter.fit_unlabeled(derive_seed(seed, RandomPurpose::unlabeled_model));
  if (chosen != nullptr) choose_kappa(cross_fit, chosen->alpha, models);

  // Fresh rows are not part of the density that they are compared with, so these must not be either.
  std::vector<double> shares(at(data.n_rows()));
  for (Index i = 0; i < data.n_rows(); ++i)
    if (fitter.is_unlabeled(i)) shares[at(i)] = data.weight(i) / total;
  models.log_ratio = log_ratios(models.classes, *models.unlabeled, data.features, shares, fitter.threads());
  for (Index i = 0; i < data.n_rows(); ++i)
    models.informative[at(i)] = fitter.is_unlabeled(i) && models.log_ratio[at(i)] > models.kappa ? 1 : 0;
  return models;
}

std::vector<double> log_ratios(const ClassModel& classes, const Density& unlabeled, MatrixView rows,
                               std::span<const double> shares, int threads) {
  std::vector<double> ratios = log_densities_left_out(unlabeled, rows, shares, threads);
  visit_evidence(classes, rows, threads, [&](Index first, const ClassEvidence& evidence, Index n) {
    for (Index b = 0; b < n; ++b) {
      double& ratio = ratios[at(first + b)];
      ratio = evidence.best_log_density(b) - ratio;
    }
  });
  return ratios;
}

RegionCounts count_region(const DensityFitter& fitter, const InitialModels& models) {
  RegionPass pass(RegionPass::Densities{models.classes, models.unlabeled, 1.0 / fitter.unlabeled_weight()},
                  models.kappa);
  show_all(fitter.data(), pass, fitter.threads(), fitter.observer());
  return pass.counts();
}

Index count_informative(const DensityFitter& fitter, const InitialModels& models) {
  const DatasetView& data = fitter.data();
  double sum = 0.0;
  if (fitter.fits_whole_table() && models.unlabeled != nullptr)
    sum = count_region(fitter, models).n_informative;
  else
    for (Index i = 0; i < data.n_rows(); ++i)
      if (models.informative[at(i)] != 0) sum += fitter.n_behind(i);
  return static_cast<Index>(std::llround(sum));
}

} // namespace lacuna
