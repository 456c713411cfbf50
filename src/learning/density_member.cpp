#include "learning/density_member.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/index.hpp"
#include "learning/density_conditional.hpp"
#include "learning/evidence.hpp"
#include "learning/unlabeled_sample.hpp"

namespace lacuna {

namespace {

constexpr Index most_rows = 4000;
/// A smaller share of a row is left out: it costs as much as a large one and says nothing.
constexpr double least_share = 1e-3;
/// How often labels are filled in and densities fitted to them: the second time they know better.
constexpr int n_fillings = 2;

} // namespace

DensityMember::Sample::Sample(const DensityFitter& fitter, const InitialModels& initial, Index most,
                              std::uint64_t seed)
    : rows(sample_unlabeled(fitter, most, seed)), features(gather_rows(fitter.data(), rows.rows)) {
  if (initial.unlabeled == nullptr) return;
  const double total = fitter.unlabeled_weight();
  std::vector<double> shares;
  for (const Index row : rows.rows) shares.push_back(fitter.data().weight(row) / total);
  log_density = log_densities_left_out(*initial.unlabeled, features.view(), shares, fitter.threads());
}

DensityMember::DensityMember(const DensityFitter& fitter, const InitialModels& initial, std::uint64_t seed)
    : fitter_(fitter), initial_(initial), small_(fitter, initial, most_rows, seed),
      large_(fitter, initial, most_sampled_rows, seed) {
  for (Index i = 0; i < fitter.data().n_rows(); ++i)
    if (fitter.is_labeled(i)) labeled_.push_back(i);
}

std::string DensityMember::name() const {
  return densities_member;
}

ClassModel DensityMember::fit_labeled(const DatasetView& data, std::uint64_t seed) const {
  std::vector<RowList> rows(at(fitter_.n_classes()));
  for (const Index i : labeled_)
    if (data.is_labeled(i)) rows[at(data.labels[at(i)])].add(i, data.weight(i));
  return fitter_.fit_classes(rows, seed);
}

std::shared_ptr<const Conditional> DensityMember::fit(const DatasetView& data,
                                                      const ConditionalFitContext& context) const {
  const bool has_all_labels =
      std::all_of(labeled_.begin(), labeled_.end(), [&](Index i) { return data.is_labeled(i); });
  const Sample& sample = has_all_labels ? large_ : small_;
  ClassModel model = fit_labeled(data, context.seed);
  for (int round = 0; round < n_fillings && !sample.log_density.empty(); ++round) {
    std::vector<RowList> rows(at(fitter_.n_classes()));
    for (const Index i : labeled_)
      if (data.is_labeled(i)) rows[at(data.labels[at(i)])].add(i, data.weight(i));
    add_unlabeled(sample, model, rows);
    // Densities that have to find their components again fit better, which pays in the fit that is kept.
    model = fitter_.fit_classes(rows, context.seed, has_all_labels ? nullptr : &model);
  }
  return std::make_shared<DensityConditional>(data.n_features(), std::vector{std::move(model)});
}

void DensityMember::add_unlabeled(const Sample& sample, const ClassModel& model,
                                  std::vector<RowList>& rows) const {
  visit_evidence(model, sample.features.view(), 1, [&](Index first, const ClassEvidence& evidence, Index n) {
    for (Index b = 0; b < n; ++b) {
      const std::size_t i = at(first + b);
      if (!(evidence.best_log_density(b) - sample.log_density[i] > initial_.kappa)) continue;
      const double log_total = evidence.log_total(b);
      for (const Index y : fitter_.class_order()) {
        const double share = std::exp(evidence.log_joint(y, b) - log_total);
        if (share > least_share) rows[at(y)].add(sample.rows.rows[i], share * sample.rows.weights[i]);
      }
    }
  });
}

} // namespace lacuna
