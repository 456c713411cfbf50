#pragma once

#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "lacuna/core/observer.hpp"
#include "lacuna/pipeline/workflows.hpp"

namespace lacuna {

/// A row with a label, scored.
struct ScoredRow {
  int label = 0;
  int prediction = 0;
  double error_probability = 0.0;
  std::span<double> probabilities;
  const std::string* stratum = nullptr; ///< null when strata were not asked for
  // Of a model's rows only:
  const double* columns = nullptr;  ///< the table's columns, encoded
  const double* features = nullptr; ///< what the densities see
  double log_ratio = 0.0;
};

/// Where scored rows come from: a model and a table, or a table of probabilities.
class ScoredSource {
public:
  virtual ~ScoredSource() = default;
  virtual const std::vector<std::string>& class_names() const = 0;
  /// Hands every row with a label to `use`; returns the number of rows without one.
  virtual Index for_each(const std::function<void(ScoredRow&)>& use, Observer& observer) = 0;
};

/// Where the rows of one evaluation stand.
struct SourcePlace {
  std::string path;
  std::string label_column;
  std::string stratum_column;
  TableOptions table;
};

/// Hands a row to an evaluator. Throws Error(data) for more strata than anybody means.
void add_row(Evaluator& evaluator, const ScoredRow& row, const SourcePlace& place);

/// `model` must outlive the source.
std::unique_ptr<ScoredSource> open_model_source(const Model& model, const SourcePlace& place, int threads);
/// `classes` as in ProbabilityReader.
std::unique_ptr<ScoredSource> open_probability_source(const SourcePlace& place,
                                                      const std::vector<std::string>& classes);

} // namespace lacuna
