#pragma once

#include <string>
#include <utility>
#include <vector>

#include "lacuna/pipeline/compare.hpp"
#include "lacuna/pipeline/diagnose.hpp"
#include "lacuna/pipeline/evaluate.hpp"
#include "lacuna/pipeline/model.hpp"

namespace LACUNA_API lacuna {

/// One contender on a page; what it points to is borrowed.
struct ReportContender {
  std::string name;
  std::string group = {}; ///< contenders of one group are drawn in one line; may be empty
  const EvaluateOutcome* outcome = nullptr;
  const Model* model = nullptr; ///< lacuna's own; null: nothing is known but its predictions
};

/// What a page tells about one data set. The last contender with a model shows its informative region, and
/// the rows that its outcome kept.
struct ReportSection {
  std::string name = "report"; ///< short, for links and file names
  std::string title = {};      ///< may be empty
  std::vector<ReportContender> contenders;
  std::string stratum_note = {};           ///< what the marks are; empty: in general words
  std::vector<std::string> sentences = {}; ///< at the top, after what was learned
  std::vector<std::pair<std::string, std::string>> remarks = {}; ///< headline and text, after all others
};

struct Report {
  std::string title;
  std::string subtitle;
  std::vector<ReportSection> sections;
  /// Name and value, in their order; empty: those of the model that shows its region.
  std::vector<std::pair<std::string, std::string>> options = {};
  int threads = 0;
};

/// One self-contained HTML page: data, drawing code and D3 inside, nothing fetched from anywhere.
std::string report_page(const Report& report);

/// The page of a fit: what a model found out about itself, before anybody judges it on test rows.
std::string report_page(const Model& model, const std::string& title);

/// The page of an evaluation; `model` is null for predictions of another tool.
std::string report_page(const EvaluateRequest& request, const EvaluateOutcome& outcome, const Model* model);
/// The page of a comparison.
std::string report_page(const CompareRequest& request, const Comparison& comparison);

/// The page of a diagnosis: what a table allows to say before there is a model.
std::string report_page(const Diagnosis& diagnosis, const std::string& title);

/// Rows in memory for a page.
struct RowsReport {
  std::string title;
  LabeledRows rows;
  MatrixView features; ///< the test rows as the models take them; counts when there is a model
  std::optional<DatasetView> training; ///< what the models were fitted to
  struct Contender {
    std::string name;
    Predictions predictions;      ///< for the test rows
    const Model* model = nullptr; ///< lacuna's own, or null
  };
  std::vector<Contender> contenders;
  std::vector<std::string> sentences = {}; ///< at the top, after what was learned
  int threads = 0;
};
/// The same page for any classifiers' predictions. Throws as evaluate does, and when there is no contender or
/// the features are not those of the labels or of the model.
std::string report_page(const RowsReport& request, Observer& observer);

} // namespace lacuna
