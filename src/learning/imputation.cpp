#include "learning/imputation.hpp"

#include <cmath>
#include <functional>

#include "core/index.hpp"
#include "lacuna/core/random.hpp"
#include "learning/evidence.hpp"

namespace lacuna {

namespace {

/// A share of a row so small that all of them together weigh less than a row in a million; fitting without
/// them saves most of the work when there are many classes.
constexpr double negligible_share = 1e-6;

} // namespace

SoftFill fill_softly(const DensityFitter& fitter, const ClassModel& model, const std::vector<char>& fill,
                     Reading reading) {
  const DatasetView& data = fitter.data();
  // Block by block, so that no rows x classes matrix exists.
  struct Block {
    std::vector<RowList> rows;
    double log_likelihood = 0.0;
    double weight = 0.0;
  };
  std::vector<Block> blocks(at((data.n_rows() + evidence_block_rows - 1) / evidence_block_rows));
  const auto fill_block = [&](Index first, const ClassEvidence& evidence, Index n) {
    Block& block = blocks[at(first / evidence_block_rows)];
    block.rows.resize(at(fitter.n_classes()));
    for (Index b = 0; b < n; ++b) {
      const Index i = first + b;
      const double weight = fitter.weight_behind(i);
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
  };
  visit_evidence(model, data.features, fitter.threads(), fill_block, reading);
  SoftFill result;
  result.rows.resize(at(fitter.n_classes()));
  double log_likelihood = 0.0;
  for (const Block& block : blocks) {
    for (std::size_t y = 0; y < block.rows.size(); ++y) result.rows[y].append(block.rows[y]);
    log_likelihood += block.log_likelihood;
    result.total_weight += block.weight;
  }
  result.mean_log_likelihood = log_likelihood / result.total_weight;
  return result;
}

namespace {

/// A class by lot, in an order that does not depend on class names.
int draw_label(const DensityFitter& fitter, double lot, const std::function<double(Index)>& log_probability) {
  Index label = 0;
  for (const Index y : fitter.class_order()) {
    label = y;
    lot -= std::exp(log_probability(y));
    if (lot <= 0.0) break;
  }
  return static_cast<int>(label);
}

double label_lot(std::uint64_t seed, Index row) {
  return RandomStream(seed, RandomPurpose::label_draw, static_cast<std::uint64_t>(row)).uniform();
}

std::vector<RowList> rows_by_label(const DensityFitter& fitter, std::vector<int> drawn) {
  const DatasetView& data = fitter.data();
  std::vector<RowList> result(at(fitter.n_classes()));
  for (Index i = 0; i < data.n_rows(); ++i) {
    if (fitter.is_labeled(i)) drawn[at(i)] = data.labels[at(i)];
    if (drawn[at(i)] != missing_label && data.weight(i) > 0.0)
      result[at(drawn[at(i)])].add(i, fitter.weight_behind(i));
  }
  return result;
}

} // namespace

std::vector<RowList> fill_by_draw(const DensityFitter& fitter, const ClassModel& model,
                                  const std::vector<char>& fill, std::uint64_t seed) {
  const DatasetView& data = fitter.data();
  std::vector<int> drawn(at(data.n_rows()), missing_label);
  visit_evidence(model, data.features, fitter.threads(),
                 [&](Index first, const ClassEvidence& evidence, Index n) {
                   for (Index b = 0; b < n; ++b) {
                     const Index i = first + b;
                     if (fill[at(i)] == 0) continue;
                     const double log_total = evidence.log_total(b);
                     drawn[at(i)] = draw_label(fitter, label_lot(seed, data.number(i)),
                                               [&](Index y) { return evidence.log_joint(y, b) - log_total; });
                   }
                 });
  return rows_by_label(fitter, std::move(drawn));
}

} // namespace lacuna
