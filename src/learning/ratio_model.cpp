#include "learning/ratio_model.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/archive_checks.hpp"
#include "core/index.hpp"
#include "learning/evidence.hpp"

namespace lacuna {

namespace {

/// How much of the log ratio is the share of labels in the row's surroundings: a classifier draws sharp edges
/// where it has seen none, the surroundings know whether whole regions have no label.
constexpr double part_of_share = 0.5;

} // namespace

double classifier_ratio(double log_labeled, double log_share) {
  return (1.0 - part_of_share) * log_labeled + part_of_share * log_share;
}

std::vector<double> RatioModel::log_ratios(MatrixView rows, std::span<const double> log_shares) const {
  std::vector<double> ratios(at(rows.n_rows), std::numeric_limits<double>::infinity());
  if (labeling_) {
    std::vector<double> answers(2 * ratios.size());
    labeling_->classifier->log_probability(rows, answers);
    for (std::size_t i = 0; i < ratios.size(); ++i)
      ratios[i] = classifier_ratio(answers[2 * i + 1] - answers[2 * i] - labeling_->log_odds, log_shares[i]);
  } else if (unlabeled_ != nullptr) {
    unlabeled_->log_density(rows, ratios);
    visit_evidence(classes_, rows, 1, [&](Index first, const ClassEvidence& evidence, Index n) {
      for (Index b = 0; b < n; ++b)
        ratios[at(first + b)] = evidence.best_log_density(b) - ratios[at(first + b)];
    });
  }
  return ratios;
}

void RatioModel::save(Archive& archive, const std::string& prefix) const {
  if (!labeling_) return;
  labeling_->classifier->save(archive, prefix + "labeling/");
  archive.put(prefix + "log_odds", labeling_->log_odds);
}

RatioModel RatioModel::load(const Archive& archive, const std::string& prefix, const ClassModel& classes,
                            const std::shared_ptr<const Density>& unlabeled) {
  if (!archive.has(prefix + "log_odds")) return {classes, unlabeled};
  Index n_features = 0;
  for (const auto& density : classes.density)
    if (density != nullptr) n_features = density->n_features();
  return load_classifier(archive, prefix, n_features);
}

RatioModel RatioModel::load_classifier(const Archive& archive, const std::string& prefix, Index n_features) {
  LabelingModel labeling{load_conditional(archive, prefix + "labeling/"),
                         archive.number(prefix + "log_odds")};
  if (labeling.classifier->n_classes() != 2 || labeling.classifier->n_features() != n_features ||
      !std::isfinite(labeling.log_odds))
    fail_damaged(prefix + "labeling", "does not tell labeled rows from others");
  return RatioModel(std::move(labeling));
}

} // namespace lacuna
