#pragma once

#include <map>
#include <span>
#include <string>
#include <utility>

#include "lacuna/evaluation/diagnostics.hpp"
#include "lacuna/evaluation/reliability.hpp"
#include "lacuna/evaluation/reliability_curve.hpp"
#include "lacuna/evaluation/scored_rows.hpp"

namespace LACUNA_API lacuna {

/// How the reliability curve is drawn. The named metrics always have their 20 equal-width bins.
struct CurveOptions {
  Index bins = n_reliability_bins;
  BinKind bin_kind = BinKind::equal_width;

  static const OptionTable<CurveOptions>& table();
};

/// What there is to see beyond the metrics, of the rows of one stratum.
struct StratumDiagnostics {
  RiskCoverage risk_coverage;
  double classwise_calibration_error = 0.0;
};

/// What there is to see beyond the metrics, over all rows.
struct Diagnostics {
  ReliabilityCurve reliability;
  CorpCurve corp;
  RiskCoverage risk_coverage;
  double classwise_calibration_error = 0.0;
  ConfusionMatrix confusion_matrix;
  std::map<std::string, StratumDiagnostics> strata; ///< empty without a stratum column
};

/// Takes scored rows one by one and then says everything about them. Knows no model.
class Evaluator {
public:
  explicit Evaluator(Index n_classes);
  /// One row: the true class, the predicted class, its error probability, the probabilities of all classes,
  /// and its stratum, null when strata were not asked for. Throws Error(data) for what is no class or no
  /// probability.
  void add(int label, int prediction, double error_probability, std::span<const double> probabilities,
           const std::string* stratum = nullptr);
  Index n_strata() const { return static_cast<Index>(strata_.size()); }
  bool has_stratum(const std::string& name) const { return strata_.contains(name); }

  /// The metrics, overall and per stratum.
  Evaluation evaluation() const;
  Diagnostics diagnostics(const CurveOptions& options) const;
  const ScoredRows& rows() const& { return rows_; }
  ScoredRows rows() && { return std::move(rows_); }

private:
  struct Stratum {
    int number = 0;
    ReliabilityAccumulator metrics;
    ClasswiseAccumulator classwise;
  };
  ScoredRows rows_of(int stratum) const;

  ScoredRows rows_;
  ReliabilityAccumulator overall_;
  std::map<std::string, Stratum> strata_;
  ClasswiseAccumulator classwise_;
  ConfusionMatrix confusion_matrix_;
};

} // namespace lacuna
