#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "lacuna/core/matrix.hpp"
#include "lacuna/evaluation/evaluator.hpp"
#include "lacuna/learning/learner.hpp"
#include "lacuna/pipeline/diagnose.hpp"
#include "lacuna/pipeline/evaluate.hpp"
#include "learning/trust_curve.hpp"

namespace lacuna {

/// The plane on which rows are drawn, and the part of it that is shown.
struct ReportPlane {
  std::string x_name;
  std::string y_name;
  std::string note; ///< how rows came onto the plane, when it is not by their two features
  double x_low = 0.0;
  double x_high = 1.0;
  double y_low = 0.0;
  double y_high = 1.0;
};

/// Labeled rows by class over unlabeled ones. Counts are of all rows; x, y and label are of the rows drawn.
struct ReportDataView {
  Index n_rows = 0;
  std::vector<Index> class_counts; ///< labeled rows per class
  std::vector<double> x;
  std::vector<double> y;
  std::vector<int> label; ///< class number, or -1 for an unlabeled row
};

/// How many of some rows are informative, for every position of the kappa slider.
struct ReportRowCounts {
  std::string rows_name; ///< "unlabeled training rows"
  Index n_rows = 0;
  std::vector<Index> n_informative;
};

/// What the kappa slider moves over. The page holds counts of all rows for each of its positions, so that
/// they are exact however many rows there are.
struct ReportKappa {
  double kappa = 0.0;                  ///< of the model; one of the positions
  std::vector<double> positions;       ///< rising
  std::vector<ReportRowCounts> counts; ///< one per set of rows
};

/// Positions around `kappa` that cover the bulk of the log ratios; none when kappa or all ratios are not
/// finite.
std::vector<double> kappa_positions(double kappa, std::vector<double> log_ratios);
/// Counts log_ratio > position for every position.
ReportRowCounts count_informative(std::string rows_name, std::vector<double> log_ratios,
                                  const std::vector<double>& positions);

/// The test rows that are drawn, of `n_rows` in all.
struct ReportTestRows {
  Index n_rows = 0;
  std::vector<double> x; ///< may be empty: nothing is known but predictions
  std::vector<double> y;
  std::vector<int> label;
  std::vector<double> log_ratio; ///< may be empty
};

/// What a method says over the whole plane, for models of two features: cells of a regular grid, those of the
/// lowest y first.
struct ReportField {
  Index n_columns = 0;
  Index n_rows = 0;
  std::vector<int> prediction;
  std::vector<double> error_probability;
  std::vector<int> classes; ///< those whose probability is given: all, or the first few of many
  std::vector<std::vector<double>> probability; ///< one per entry of classes
};

/// One method on the test rows.
struct ReportMethod {
  std::string name;
  std::string group;           ///< methods of one group are drawn in one line; may be empty
  std::vector<int> prediction; ///< of the rows drawn
  std::vector<double> error_probability;
  Evaluation evaluation;
  Diagnostics diagnostics;
  std::vector<std::string> stratum_names; ///< of the contributions in diagnostics.reliability
  std::optional<ReportField> field;
};

/// What a stack found out about itself, with a sentence about each figure.
struct ReportTrust {
  StackSummary stack;
  std::string gaps_words;
  std::string check_words;
  std::vector<TrustPoint> curve; ///< may be empty
};

/// What promises came to, with a sentence.
struct ReportPromises {
  PromiseCheck check;
  std::string words;
};

/// How good a sentence is; the page has a colour and a sign for each.
enum class Tone { kept, careful, unsure, broken };

/// Whether a method keeps its word.
struct ReportVerdict {
  std::string name; ///< of the method
  Tone tone = Tone::unsure;
  std::string text;
};

/// A remark in words, with a headline.
struct ReportWords {
  std::string head;
  std::string text;
};

/// Everything about one data set.
struct ReportSubject {
  std::string name;     ///< short, for links and file names
  std::string title;    ///< may be empty
  std::string headline; ///< of the verdicts; may be empty
  std::vector<ReportVerdict> verdicts;
  std::vector<std::string> sentences; ///< what was learned
  std::vector<std::string> class_names;
  std::string stratum_note; ///< what the two parts of the error are
  ReportPlane plane;
  std::optional<ReportDataView> data;
  std::optional<ReportKappa> kappa;
  std::optional<ReportTrust> trust;
  std::optional<ReportPromises> promises;
  ReportTestRows test;
  std::vector<ReportMethod> methods;
  std::vector<ReportWords> words;
};

struct ReportPage {
  std::string title;
  std::string subtitle;
  std::optional<Diagnosis> diagnosis; ///< of a table, before there is a model
  std::vector<ReportSubject> subjects;
  std::vector<std::pair<std::string, std::string>> options;  ///< name and value, in their order
  std::vector<std::pair<std::string, std::string>> versions; ///< "lacuna" and what else made the page
};

/// One self-contained HTML page: data, drawing code and D3 inside, nothing fetched from anywhere.
std::string report_html(const ReportPage& page);

/// The data of that page as the drawing code reads it: JSON that may stand inside a script element.
std::string report_json(const ReportPage& page);

} // namespace lacuna
