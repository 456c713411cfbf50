#include "learning/density_conditional.hpp"

#include <algorithm>
#include <cmath>

#include "conditional/probabilities.hpp"
#include "core/archive_checks.hpp"
#include "core/index.hpp"
#include "learning/class_model_archive.hpp"
#include "learning/evidence.hpp"
#include "math/special.hpp"

namespace lacuna {

DensityConditional::DensityConditional(Index n_features, std::vector<ClassModel> models)
    : Conditional({.family = densities_member,
                   .n_features = n_features,
                   .n_classes = static_cast<Index>(models.front().density.size())}),
      models_(std::move(models)) {
  register_density_conditional(); // who has one may save it, and what is saved can be loaded
}

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

void DensityConditional::save_parts(Archive& archive, const std::string& prefix) const {
  archive.put(prefix + "n_models", static_cast<double>(models_.size()));
  for (std::size_t m = 0; m < models_.size(); ++m)
    save_class_model(models_[m], archive, prefix + std::to_string(m) + "/");
}

std::shared_ptr<const Conditional> DensityConditional::load(const Archive& archive, const std::string& prefix,
                                                            const ConditionalFacts& facts) {
  constexpr Index most_models = 1 << 20;
  const Index n_models = archive.integer(prefix + "n_models", 1, most_models);
  std::vector<ClassModel> models;
  for (Index m = 0; m < n_models; ++m)
    models.push_back(load_class_model(archive, prefix + std::to_string(m) + "/", facts.n_classes));
  for (const ClassModel& model : models)
    for (const auto& density : model.density)
      if (density != nullptr && density->n_features() != facts.n_features)
        fail_damaged(prefix, "has a density of another number of features");
  return std::make_shared<DensityConditional>(facts.n_features, std::move(models));
}

void register_density_conditional() {
  static const bool is_registered = [] {
    register_conditional({densities_member, DensityConditional::load});
    return true;
  }();
  static_cast<void>(is_registered);
}

} // namespace lacuna
