#include "learning/overlap.hpp"

#include <cmath>

#include "core/index.hpp"
#include "core/pass_place.hpp"
#include "learning/counted_rows.hpp"
#include "learning/learnable.hpp"
#include "learning/stacked_fit.hpp"

namespace lacuna {

Overlap measure_overlap(const DatasetView& data, const LearningOptions& options, const DensityFamily& family,
                        Observer& observer) {
  check_options(options);
  require_learnable(data, family);
  if (has_uncounted_rows(data)) {
    const Dataset counted = counted_rows(data);
    return measure_overlap(DatasetView(counted), options, family, observer);
  }
  const PassesAt passes_at(place_on(options.device, data.features.n_rows, observer));
  SharedModels shared(data, options, family, observer);
  const StackedFit fit(shared, options);

  Overlap overlap;
  overlap.class_counts.assign(at(data.n_classes()), 0);
  for (Index i = 0; i < data.n_rows(); ++i)
    if (data.is_labeled(i)) ++overlap.class_counts[at(data.labels[at(i)])];
  for (const Index count : overlap.class_counts) overlap.n_labeled += count;
  overlap.n_unlabeled = data.whole != nullptr ? data.whole->n_unlabeled() : data.n_rows() - overlap.n_labeled;
  if (overlap.n_unlabeled > 0)
    overlap.inside_share =
        static_cast<double>(fit.n_informative()) / static_cast<double>(overlap.n_unlabeled);
  const std::vector<JudgedRow> rows = fit.judged_rows();
  const auto by_weights = [&](double of_share, double of_classifier) {
    double total = 0.0;
    double squares = 0.0;
    double wrong = 0.0;
    for (const JudgedRow& row : rows) {
      if (!(row.log_ratio > fit.kappa())) continue;
      const double log_ratio =
          of_share * row.log_density_ratios[0] + of_classifier * row.log_density_ratios[1];
      const double weight = row.weight * (overlap.n_unlabeled > 0 ? std::exp(-log_ratio) : 1.0);
      total += weight;
      squares += weight * weight;
      wrong += row.is_wrong ? weight : 0.0;
    }
    return Overlap::Inside{total > 0.0 ? total * total / squares : 0.0, wrong / total};
  };
  overlap.by_mean = by_weights(0.5, 0.5);
  overlap.by_each = {by_weights(1.0, 0.0), by_weights(0.0, 1.0)};
  return overlap;
}

} // namespace lacuna
