#include "learning/density_conditional.hpp"

#include <algorithm>
#include <cmath>

#include "conditional/probabilities.hpp"
#include "core/index.hpp"
#include "learning/evidence.hpp"
#include "math/special.hpp"

namespace lacuna {

DensityConditional::DensityConditional(Index n_features, std::vector<ClassModel> models)
    : Conditional({.family = densities_member,
                   .n_features = n_features,
                   .n_classes = static_cast<Index>(models.front().density.size())}),
      models_(std::move(models)) {}

void DensityConditional::log_probability(MatrixView rows, std::span<double> out) const {
  const auto n_classes = static_cast<std::size_t>(this->n_classes());
  for (Index first = 0; first < rows.n_rows; first += evidence_block_rows) {
    const MatrixView block = rows.middle_rows(first, std::min(evidence_block_rows, rows.n_rows - first));
    std::vector<ClassEvidence> evidence;
    for (const ClassModel& model : models_) evidence.emplace_back(model, block.n_rows).evaluate(block);
    std::vector<double> parts(models_.size());
    for (Index b = 0; b < block.n_rows; ++b) {
      const std::span<double> scores = out.subspan(at(first + b) * n_classes, n_classes);
      for (std::size_t y = 0; y < n_classes; ++y) {
        for (std::size_t m = 0; m < parts.size(); ++m)
          parts[m] = evidence[m].log_joint(static_cast<Index>(y), b);
        scores[y] = log_sum_exp(parts);
      }
      to_log_probabilities(scores);
    }
  }
}

void DensityConditional::save_parts(Archive& /*archive*/, const std::string& /*prefix*/) const {}

} // namespace lacuna
