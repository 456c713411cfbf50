#include <optional>
#include <tuple>

#include <pybind11/stl.h>

#include "arrays.hpp"
#include "bindings.hpp"
#include "lacuna/pipeline/documents.hpp"
#include "lacuna/report/report.hpp"
#include "work.hpp"

namespace lacuna::python {

namespace {

/// Class names, class numbers, and per row the place of its stratum among the names.
using RowsTuple =
    std::tuple<std::vector<std::string>, Integers, std::optional<Integers>, std::vector<std::string>>;
/// Probabilities, predicted class numbers, error probabilities.
using PredictionsTuple = std::tuple<Numbers, std::optional<Integers>, std::optional<Numbers>>;
/// Name, what it says about the test rows, and lacuna's model when it is one.
using ClassifierTuple = std::tuple<std::string, PredictionsTuple, const Model*>;

std::span<const int> span_of(const Integers& array) {
  return {array.data(), static_cast<std::size_t>(array.size())};
}

LabeledRows labeled_rows(const RowsTuple& tuple) {
  const auto& [class_names, labels, strata, stratum_names] = tuple;
  return {class_names, span_of(labels), strata ? span_of(*strata) : std::span<const int>(), stratum_names};
}

Predictions predictions_of(const PredictionsTuple& tuple) {
  const auto& [probabilities, prediction, error_probability] = tuple;
  return {matrix_view(probabilities), prediction ? span_of(*prediction) : std::span<const int>(),
          optional_span(error_probability)};
}

CurveOptions curve_options(Index bins, const std::string& bin_kind) {
  CurveOptions curve;
  curve.bins = bins;
  for (const Option<CurveOptions>& row : CurveOptions::table())
    if (row.name == "bin_kind") row.set(curve, {bin_kind});
  return curve;
}

/// What `lacuna evaluate --json` writes.
std::string evaluate_rows(const RowsTuple& rows, const PredictionsTuple& predictions, Index bins,
                          const std::string& bin_kind, const py::object& progress) {
  const LabeledRows labeled = labeled_rows(rows);
  const Predictions said = predictions_of(predictions);
  const CurveOptions curve = curve_options(bins, bin_kind);
  std::string document;
  run_work(progress, [&](Observer&) { document = evaluation_json(evaluate(labeled, said, curve), nullptr); });
  return document;
}

std::string page(const std::string& title, const RowsTuple& rows, const std::optional<Numbers>& features,
                 const std::optional<std::pair<Numbers, Integers>>& training,
                 const std::vector<ClassifierTuple>& classifiers, const std::vector<std::string>& sentences,
                 int threads, const py::object& progress) {
  RowsReport report;
  report.title = title;
  report.rows = labeled_rows(rows);
  if (features) report.features = matrix_view(*features);
  if (training) {
    report.training.emplace();
    report.training->features = matrix_view(training->first);
    report.training->labels = span_of(training->second);
  }
  for (const auto& [name, predictions, model] : classifiers)
    report.contenders.push_back({name, predictions_of(predictions), model});
  report.sentences = sentences;
  report.threads = threads;
  std::string html;
  run_work(progress, [&](Observer& observer) { html = report_page(report, observer); });
  return html;
}

} // namespace

void bind_evaluation(py::module_& module) {
  module.def("evaluate_rows", evaluate_rows, py::arg("rows").noconvert(), py::arg("predictions").noconvert(),
             py::arg("bins"), py::arg("bin_kind"), py::arg("progress"));
  module.def("report_page", page, py::arg("title"), py::arg("rows").noconvert(),
             py::arg("features").noconvert(), py::arg("training").noconvert(), py::arg("classifiers"),
             py::arg("sentences"), py::arg("threads"), py::arg("progress"));
}

} // namespace lacuna::python
