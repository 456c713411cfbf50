#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "lacuna/evaluation/evaluator.hpp"
#include "lacuna/learning/classifier.hpp"
#include "lacuna/learning/learner.hpp"
#include "pipeline/row_sample.hpp"
#include "report/drawable.hpp"
#include "report/page.hpp"

namespace lacuna {

/// One method as a page sees it. The rows of `scored` are those of the subject's test rows, in their order.
struct PageMethod {
  std::string name;
  std::string group;
  Evaluation evaluation;
  Diagnostics diagnostics;
  const ScoredRows* scored = nullptr;
  /// What the method says about points of the plane, which are rows of the table's columns when those are
  /// two, and of the features otherwise. May be null.
  std::function<Scores(MatrixView)> score{};
};

/// What a page tells about one data set.
struct PageInput {
  std::string name;
  std::string title;
  std::vector<std::string> class_names;
  std::vector<std::string> column_names;  ///< of the table's columns as the model takes them
  std::vector<std::string> feature_names; ///< of the features the densities see
  CodedCategories categories{};           ///< of columns and features alike
  const RowSample* test = nullptr;        ///< null: nothing is known but predictions
  const RowSample* train = nullptr;       ///< labels: class number or -1. May be null
  std::optional<FitSummary> fit;          ///< of the method that chose the region
  std::vector<TrustPoint> trust_curve{};  ///< of that method; may be empty
  std::optional<PromiseCheck> promises{}; ///< of that method, on the test rows
  std::vector<PageMethod> methods;        ///< judged on test rows; none: a fit, before there are any
  int threads = 0;
};

ReportSubject make_subject(const PageInput& input);

} // namespace lacuna
