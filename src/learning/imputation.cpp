#include "learning/imputation.hpp"

#include <cmath>

#include "core/index.hpp"
#include "lacuna/core/random.hpp"
#include "learning/evidence.hpp"

namespace lacuna {

namespace {

/// A share of a row so small that all of them together weigh less than a row in a million; fitting without
/// them saves most of the work when there are many classes.
constexpr double negligible_share = 1e-6;

} // namespace

SoftFill fill_softly(const DensityFitter& fitter, const ClassModel& model, const std::vector<char>& fill) {
  const DatasetView& data = fitter.data();
  // Block by block, so that no rows x classes matrix exists.
  struct Block {
    std::vector<RowList> rows;
    double log_likelihood = 0.0;
    double weight = 0.0;
  };
  std::vector<Block> blocks(at((data.n_rows() + evidence_block_rows - 1) / evidence_block_rows));
  visit_evidence(model, data.features, fitter.threads(),
                 [&](Index first, const ClassEvidence& evidence, Index n) {
                   Block& block = blocks[at(first / evidence_block_rows)];
                   block.rows.resize(at(fitter.n_classes()));
                   for (Index b = 0; b < n; ++b) {
                     const Index i = first + b;
                     const double weight = data.weight(i);
                     double log_likelihood = 0.0;
                     if (fitter.is_labeled(i)) {
                       const int label = data.labels[at(i)];
                       block.rows[at(label)].add(i, weight);
                       log_likelihood = evidence.log_joint(label, b);
                     } else if (fill[at(i)] != 0) {
                       log_likelihood = evidence.log_total(b);
                       for (const Index y : fitter.class_order()) {
                         const double share = std::exp(evidence.log_joint(y, b) - log_likelihood);
                         if (share > negligible_share) block.rows[at(y)].add(i, share * weight);
                       }
                     } else {
                       continue;
                     }
                     block.log_likelihood += weight * log_likelihood;
                     block.weight += weight;
                   }
                 });
  SoftFill result;
  result.rows.resize(at(fitter.n_classes()));
  double log_likelihood = 0.0;
  double weight = 0.0;
  for (const Block& block : blocks) {
    for (std::size_t y = 0; y < block.rows.size(); ++y) result.rows[y].append(block.rows[y]);
    log_likelihood += block.log_likelihood;
    weight += block.weight;
  }
  result.mean_log_likelihood = log_likelihood / weight;
  return result;
}

std::vector<RowList> fill_by_draw(const DensityFitter& fitter, const ClassModel& model,
                                  const std::vector<char>& fill, std::uint64_t seed) {
  const DatasetView& data = fitter.data();
  std::vector<int> label(at(data.n_rows()), missing_label);
  visit_evidence(
      model, data.features, fitter.threads(), [&](Index first, const ClassEvidence& evidence, Index n) {
        for (Index b = 0; b < n; ++b) {
          const Index i = first + b;
          if (fitter.is_labeled(i)) label[at(i)] = data.labels[at(i)];
          if (fill[at(i)] == 0) continue;
          RandomStream random(seed, RandomPurpose::label_draw, static_cast<std::uint64_t>(i));
          const double log_total = evidence.log_total(b);
          double left = random.uniform();
          for (const Index y : fitter.class_order()) { // an order that does not depend on class names
            label[at(i)] = static_cast<int>(y);
            left -= std::exp(evidence.log_joint(y, b) - log_total);
            if (left <= 0.0) break;
          }
        }
      });
  std::vector<RowList> result(at(fitter.n_classes()));
  for (Index i = 0; i < data.n_rows(); ++i)
    if (label[at(i)] != missing_label && data.weight(i) > 0.0)
      result[at(label[at(i)])].add(i, data.weight(i));
  return result;
}

} // namespace lacuna
