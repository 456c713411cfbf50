#include "learning/evidence.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/index.hpp"
#include "core/parallel.hpp"
#include "math/special.hpp"

namespace lacuna {

namespace {

constexpr double minus_infinity = -std::numeric_limits<double>::infinity();

Index n_blocks(Index n_rows) {
  return (n_rows + evidence_block_rows - 1) / evidence_block_rows;
}

/// One value per row: write(some rows, number of the first, their values) is called for consecutive blocks.
template <class Write>
std::vector<double> in_blocks(MatrixView rows, int threads, const Write& write) {
  std::vector<double> out(static_cast<std::size_t>(rows.n_rows));
  parallel_for(n_blocks(rows.n_rows), threads, [&](Index block) {
    const Index first = block * evidence_block_rows;
    const Index n = std::min(evidence_block_rows, rows.n_rows - first);
    write(rows.middle_rows(first, n), first,
          std::span<double>(out.data() + first, static_cast<std::size_t>(n)));
  });
  return out;
}

} // namespace

ClassEvidence::ClassEvidence(const ClassModel& model, Index max_rows, const Shrinkage& shrinkage,
                             Reading reading)
    : model_(model), reading_(reading), shrinkage_(shrinkage), probability_(model.probability),
      values_(static_cast<Index>(model.density.size()), max_rows) {
  const double s = shrinkage.share;
  if (s > 0.0)
    for (std::size_t y = 0; y < probability_.size(); ++y)
      probability_[y] = (1.0 - s) * probability_[y] + s * shrinkage.probability[y];
  for (const double p : probability_) log_probability_.push_back(std::log(p));
}

void ClassEvidence::evaluate(MatrixView rows) {
  for (Index y = 0; y < n_classes(); ++y) {
    const std::span<double> out(values_.row(y), static_cast<std::size_t>(rows.n_rows));
    const auto& density = model_.density[static_cast<std::size_t>(y)];
    if (density == nullptr)
      std::fill(out.begin(), out.end(), minus_infinity);
    else if (reading_ == Reading::expected_log)
      density->expected_log_density(rows, out);
    else
      density->log_density(rows, out);
  }
  if (shrinkage_.share > 0.0) shrink(rows.n_rows);
}

/// From q(x|y) of the model to that of eq. 12 in docs/math/classifier.md.
void ClassEvidence::shrink(Index n_rows) {
  const std::size_t n = probability_.size();
  std::vector<double> log_prior(n);
  std::vector<double> log_shared(n);
  for (std::size_t y = 0; y < n; ++y) {
    log_prior[y] = std::log(model_.probability[y]);
    log_shared[y] = std::log(shrinkage_.share * shrinkage_.probability[y]);
  }
  const double log_own = std::log1p(-shrinkage_.share);
  const std::size_t n_values = at(n_rows);
  std::vector<double> log_all(n_values);
  std::vector<double> log_joint(n);
  for (Index b = 0; b < n_rows; ++b) {
    for (std::size_t y = 0; y < n; ++y) log_joint[y] = log_prior[y] + values_(static_cast<Index>(y), b);
    log_all[at(b)] = log_sum_exp(log_joint);
  }
  std::vector<double> own(n_values);
  std::vector<double> shared(n_values);
  for (std::size_t y = 0; y < n; ++y) {
    if (probability_[y] == 0.0) continue; // has no density, and gets none
    const std::span<double> values(values_.row(static_cast<Index>(y)), n_values);
    for (std::size_t b = 0; b < n_values; ++b) {
      own[b] = log_own + (log_prior[y] + values[b]);
      shared[b] = log_shared[y] + log_all[b];
    }
    log_sum_exp(own, shared, values);
    for (double& value : values) value -= log_probability_[y];
  }
}

double ClassEvidence::log_total(Index b) const {
  double largest = minus_infinity;
  for (Index y = 0; y < n_classes(); ++y) largest = std::max(largest, log_joint(y, b));
  double sum = 0.0;
  for (Index y = 0; y < n_classes(); ++y) sum += std::exp(log_joint(y, b) - largest);
  return largest + std::log(sum);
}

double ClassEvidence::best_log_density(Index b) const {
  double largest = minus_infinity;
  for (Index y = 0; y < n_classes(); ++y) largest = std::max(largest, log_density(y, b));
  return largest;
}

std::vector<double> log_densities(const Density& density, MatrixView rows, int threads) {
  return in_blocks(rows, threads, [&](MatrixView some, Index /*first*/, std::span<double> out) {
    density.log_density(some, out);
  });
}

std::vector<double> log_densities_left_out(const Density& density, MatrixView rows,
                                           std::span<const double> shares, int threads) {
  return in_blocks(rows, threads, [&](MatrixView some, Index first, std::span<double> out) {
    density.log_density_left_out(some, shares.subspan(static_cast<std::size_t>(first), out.size()), out);
  });
}

void visit_evidence(const ClassModel& model, MatrixView rows, int threads,
                    const std::function<void(Index first, const ClassEvidence& evidence, Index n)>& visit,
                    Reading reading) {
  parallel_for(n_blocks(rows.n_rows), threads, [&](Index block) {
    const Index first = block * evidence_block_rows;
    const Index n = std::min(evidence_block_rows, rows.n_rows - first);
    ClassEvidence evidence(model, n, {}, reading);
    evidence.evaluate(rows.middle_rows(first, n));
    visit(first, evidence, n);
  });
}

} // namespace lacuna
