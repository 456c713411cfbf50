#pragma once

#include <functional>
#include <span>
#include <vector>

#include "lacuna/core/matrix.hpp"
#include "lacuna/learning/classifier.hpp"

namespace lacuna {

/// Rows are scored in blocks of this many, in parallel; what a block holds stays in the cache.
inline constexpr Index evidence_block_rows = 1024;

/// How a density is asked: for its density, or for what an EM weighs rows by
/// (Density::expected_log_density).
enum class Reading { density, expected_log };

/// Log densities of a few rows under every class of a model: values(y, b) for class y and row b. A class
/// without a density has -inf.
class ClassEvidence {
public:
  /// With a share of `shrinkage` that is not 0, the model is the one that it makes of `model`.
  ClassEvidence(const ClassModel& model, Index max_rows, const Shrinkage& shrinkage = {},
                Reading reading = Reading::density);
  void evaluate(MatrixView rows);

  double probability(Index y) const { return probability_[static_cast<std::size_t>(y)]; }

  double log_density(Index y, Index b) const { return values_(y, b); }
  /// log q(y) + log q(x|y).
  double log_joint(Index y, Index b) const {
    return values_(y, b) + log_probability_[static_cast<std::size_t>(y)];
  }
  /// log of the sum over y of the joint.
  double log_total(Index b) const;
  /// max over y of log q(x|y).
  double best_log_density(Index b) const;
  Index n_classes() const { return values_.n_rows(); }

private:
  void shrink(Index n_rows);

  const ClassModel& model_;
  Reading reading_;
  Shrinkage shrinkage_;
  std::vector<double> probability_;
  std::vector<double> log_probability_;
  Matrix values_;
};

/// Log density of every row, in parallel.
std::vector<double> log_densities(const Density& density, MatrixView rows, int threads);
/// The same, each row left out that was among those of the fit: Density::log_density_left_out.
std::vector<double> log_densities_left_out(const Density& density, MatrixView rows,
                                           std::span<const double> shares, int threads);

/// Calls visit(first, evidence, n) for consecutive blocks of rows, in parallel; a block's calls write only
/// what belongs to its rows.
void visit_evidence(const ClassModel& model, MatrixView rows, int threads,
                    const std::function<void(Index first, const ClassEvidence& evidence, Index n)>& visit,
                    Reading reading = Reading::density);

} // namespace lacuna
