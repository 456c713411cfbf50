#include "lacuna/evaluation/evaluator.hpp"

#include "core/interruption.hpp"
#include "evaluation/checks.hpp"

namespace lacuna {

const OptionTable<CurveOptions>& CurveOptions::table() {
  static const OptionTable<CurveOptions> rows{
      option("bins", &CurveOptions::bins, "N", "Bins of the reliability curve; ece always has its 20",
             {.low = 1, .high = static_cast<double>(max_curve_bins)}),
      option("bin_kind", &CurveOptions::bin_kind, "KIND", "Equally wide bins, or equally many rows in each")};
  return rows;
}

Evaluator::Evaluator(Index n_classes) : classwise_(n_classes), confusion_matrix_(n_classes) {}

void Evaluator::add(int label, int prediction, double error_probability,
                    std::span<const double> probabilities, const std::string* stratum) {
  stop_if_asked();
  // A row that is refused leaves no trace: the first two look at it before anything is kept.
  check_scored_row(rows_.n_rows() + 1, label, prediction, error_probability, probabilities);
  classwise_.add(label, probabilities);
  overall_.add(label, prediction, error_probability, probabilities);
  confusion_matrix_.add(label, prediction);
  rows_.label.push_back(label);
  rows_.prediction.push_back(prediction);
  rows_.error_probability.push_back(error_probability);
  if (stratum == nullptr) {
    rows_.stratum.push_back(no_stratum);
    return;
  }
  const auto [found, is_new] =
      strata_.try_emplace(*stratum, Stratum{0, {}, ClasswiseAccumulator(confusion_matrix_.n_classes())});
  if (is_new) {
    found->second.number = static_cast<int>(rows_.stratum_names.size());
    rows_.stratum_names.push_back(*stratum);
  }
  found->second.classwise.add(label, probabilities);
  found->second.metrics.add(label, prediction, error_probability, probabilities);
  rows_.stratum.push_back(found->second.number);
}

ScoredRows Evaluator::rows_of(int stratum) const {
  ScoredRows rows;
  for (std::size_t i = 0; i < rows_.label.size(); ++i) {
    if (rows_.stratum[i] != stratum) continue;
    rows.label.push_back(rows_.label[i]);
    rows.prediction.push_back(rows_.prediction[i]);
    rows.error_probability.push_back(rows_.error_probability[i]);
  }
  return rows;
}

Evaluation Evaluator::evaluation() const {
  Evaluation result;
  result.overall = overall_.metrics();
  for (const auto& [name, stratum] : strata_) result.strata[name] = stratum.metrics.metrics();
  return result;
}

Diagnostics Evaluator::diagnostics(const CurveOptions& options) const {
  Diagnostics result;
  result.reliability = reliability_curve(rows_, options.bin_kind, options.bins);
  const std::vector<ErrorGroup> groups = error_groups(rows_);
  result.corp = corp_curve(groups);
  result.risk_coverage = risk_coverage(groups);
  result.classwise_calibration_error = classwise_.mean_calibration_error();
  result.confusion_matrix = confusion_matrix_;
  for (const auto& [name, stratum] : strata_)
    result.strata[name] = {risk_coverage(error_groups(rows_of(stratum.number))),
                           stratum.classwise.mean_calibration_error()};
  return result;
}

} // namespace lacuna
