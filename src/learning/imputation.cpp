#include "learning/imputation.hpp"

#include <cmath>

#include "lacuna/core/random.hpp"
#include "learning/evidence.hpp"

namespace lacuna {

namespace {

std::size_t at(Index i) {
  return static_cast<std::size_t>(i);
}

/// A share of a row so small that all of them together weigh less than a row in a million; fitting without
/// them saves most of the work when there are many classes.
constexpr double negligible_share = 1e-6;

} // namespace

std::vector<RowList> fill_softly(const FitShop& shop, const ClassModel& model,
                                 const std::vector<char>& fill) {
  const Dataset& data = shop.data();
  std::vector<double> log_total(at(data.n_rows()));
  for_each_block(model, data.features.view(), shop.threads(),
                 [&](Index first, const ClassEvidence& evidence, Index n) {
                   for (Index b = 0; b < n; ++b) log_total[at(first + b)] = evidence.log_total(b);
                 });
  // Class by class, so that no rows x classes matrix exists.
  std::vector<RowList> result(at(shop.n_classes()));
  for (const Index y : shop.class_order()) {
    const std::vector<double> log_density =
        log_densities(*model.density[at(y)], data.features.view(), shop.threads());
    const double log_probability = std::log(model.probability[at(y)]);
    for (Index i = 0; i < data.n_rows(); ++i) {
      if (shop.is_labeled(i)) {
        if (data.labels[at(i)] == y) result[at(y)].add(i, data.weight(i));
      } else if (fill[at(i)] != 0) {
        const double share = std::exp(log_probability + log_density[at(i)] - log_total[at(i)]);
        if (share > negligible_share) result[at(y)].add(i, share * data.weight(i));
      }
    }
  }
  return result;
}

std::vector<RowList> fill_by_draw(const FitShop& shop, const ClassModel& model, const std::vector<char>& fill,
                                  std::uint64_t seed) {
  const Dataset& data = shop.data();
  std::vector<int> label(at(data.n_rows()), missing_label);
  for_each_block(
      model, data.features.view(), shop.threads(), [&](Index first, const ClassEvidence& evidence, Index n) {
        for (Index b = 0; b < n; ++b) {
          const Index i = first + b;
          if (shop.is_labeled(i)) label[at(i)] = data.labels[at(i)];
          if (fill[at(i)] == 0) continue;
          RandomStream random(seed, RandomPurpose::label_draw, static_cast<std::uint64_t>(i));
          const double log_total = evidence.log_total(b);
          double left = random.uniform();
          for (const Index y : shop.class_order()) { // an order that does not depend on class names
            label[at(i)] = static_cast<int>(y);
            left -= std::exp(evidence.log_joint(y, b) - log_total);
            if (left <= 0.0) break;
          }
        }
      });
  std::vector<RowList> result(at(shop.n_classes()));
  for (Index i = 0; i < data.n_rows(); ++i)
    if (label[at(i)] != missing_label && data.weight(i) > 0.0)
      result[at(label[at(i)])].add(i, data.weight(i));
  return result;
}

} // namespace lacuna
