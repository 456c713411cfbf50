#include "learning/density_member.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/index.hpp"
#include "lacuna/core/random.hpp"
#include "learning/density_conditional.hpp"
#include "learning/evidence.hpp"

namespace lacuna {

namespace {

constexpr Index most_filled_rows = 4000;
/// A smaller share of a row is left out: it costs as much as a large one and says nothing.
constexpr double least_share = 1e-3;
/// How often labels are filled in and densities fitted to them: the second time they know better.
constexpr int n_fillings = 2;

} // namespace

RowList sample_unlabeled(const DensityFitter& fitter, Index most, std::uint64_t seed) {
  std::vector<std::pair<std::uint64_t, Index>> keyed;
  double total = 0.0;
  for (Index i = 0; i < fitter.data().n_rows(); ++i) {
    if (!fitter.is_unlabeled(i)) continue;
    keyed.emplace_back(derive_seed(seed, RandomPurpose::unlabeled_sample, static_cast<std::uint64_t>(i)), i);
    total += fitter.data().weight(i);
  }
  if (static_cast<Index>(keyed.size()) > most) {
    std::nth_element(keyed.begin(), keyed.begin() + most, keyed.end());
    keyed.resize(at(most));
  }
  std::sort(keyed.begin(), keyed.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
  RowList sample;
  for (const auto& [key, row] : keyed) sample.add(row, fitter.data().weight(row));
  const double scale = sample.empty() ? 1.0 : total / sample.total_weight();
  for (double& weight : sample.weights) weight *= scale;
  return sample;
}

DensityMember::DensityMember(const DensityFitter& fitter, const InitialModels& initial, std::uint64_t seed)
    : fitter_(fitter), initial_(initial), sample_(sample_unlabeled(fitter, most_filled_rows, seed)),
      sampled_rows_(static_cast<Index>(sample_.rows.size()), fitter.data().n_features()) {
  const DatasetView& data = fitter.data();
  for (Index i = 0; i < data.n_rows(); ++i)
    if (fitter.is_labeled(i)) labeled_.push_back(i);
  for (std::size_t i = 0; i < sample_.rows.size(); ++i)
    std::copy_n(data.features.row(sample_.rows[i]), data.n_features(),
                sampled_rows_.row(static_cast<Index>(i)));
  if (initial.unlabeled == nullptr) return;
  // The weights of the sample add up to those of all unlabeled rows, to which this density was fitted.
  const double total = sample_.total_weight();
  std::vector<double> shares;
  for (const Index row : sample_.rows) shares.push_back(data.weight(row) / total);
  unlabeled_ = log_densities_left_out(*initial.unlabeled, sampled_rows_.view(), shares, fitter.threads());
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
  ClassModel model = fit_labeled(data, context.seed);
  for (int round = 0; round < n_fillings && !unlabeled_.empty(); ++round) {
    std::vector<RowList> rows(at(fitter_.n_classes()));
    for (const Index i : labeled_)
      if (data.is_labeled(i)) rows[at(data.labels[at(i)])].add(i, data.weight(i));
    add_unlabeled(model, rows);
    model = fitter_.fit_classes(rows, context.seed, &model);
  }
  return std::make_shared<DensityConditional>(data.n_features(), std::vector{std::move(model)});
}

void DensityMember::add_unlabeled(const ClassModel& labeled, std::vector<RowList>& rows) const {
  visit_evidence(labeled, sampled_rows_.view(), 1, [&](Index first, const ClassEvidence& evidence, Index n) {
    for (Index b = 0; b < n; ++b) {
      const std::size_t i = at(first + b);
      if (!(evidence.best_log_density(b) - unlabeled_[i] > initial_.kappa)) continue;
      const double log_total = evidence.log_total(b);
      for (const Index y : fitter_.class_order()) {
        const double share = std::exp(evidence.log_joint(y, b) - log_total);
        if (share > least_share) rows[at(y)].add(sample_.rows[i], share * sample_.weights[i]);
      }
    }
  });
}

} // namespace lacuna
