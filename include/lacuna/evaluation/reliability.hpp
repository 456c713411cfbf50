#pragma once

#include <array>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "lacuna/core/matrix.hpp"

namespace LACUNA_API lacuna {

inline constexpr int n_reliability_bins = 20;

/// One equal-width bin of the error probability.
struct ReliabilityBin {
  double low = 0.0;
  double high = 0.0;
  Index n = 0;
  double mean_error_probability = 0.0; ///< NaN when n = 0
  double error_rate = 0.0;             ///< NaN when n = 0
};

/// How good and how honest predictions were, by name (docs/metrics.md defines each). NaN when n = 0.
struct Metrics {
  Index n = 0;
  double error_rate = 0.0;
  double mean_error_probability = 0.0;
  double ece = 0.0;
  double overconfidence = 0.0;
  double underconfidence = 0.0;
  double brier_error = 0.0;
  double brier = 0.0;
  double nll = 0.0;
  std::array<ReliabilityBin, n_reliability_bins> bins{};
};

/// A metric and its name in docs/metrics.md, in documents and in tables.
struct NamedMetric {
  const char* name;
  double Metrics::*value;
};

inline constexpr std::array<NamedMetric, 8> named_metrics{{
    {"error_rate", &Metrics::error_rate},
    {"mean_error_probability", &Metrics::mean_error_probability},
    {"ece", &Metrics::ece},
    {"overconfidence", &Metrics::overconfidence},
    {"underconfidence", &Metrics::underconfidence},
    {"brier_error", &Metrics::brier_error},
    {"brier", &Metrics::brier},
    {"nll", &Metrics::nll},
}};

/// Collects scored rows one by one and never stores them, so that a test set may be larger than memory.
/// Knows no model: probabilities and labels in, metrics out.
class ReliabilityAccumulator {
public:
  /// One row: the true class, the predicted class, its error probability, and the probabilities of all
  /// classes.
  void add(int label, int prediction, double error_probability, std::span<const double> probabilities);
  Metrics metrics() const;

private:
  struct Sums {
    Index n = 0;
    double errors = 0.0;
    double error_probability = 0.0;
  };
  std::array<Sums, n_reliability_bins> bins_{};
  double brier_error_ = 0.0;
  double brier_ = 0.0;
  double nll_ = 0.0;
};

/// Overall metrics and the same per stratum.
struct Evaluation {
  Metrics overall;
  std::map<std::string, Metrics> strata; ///< empty without a stratum column
};

} // namespace lacuna
