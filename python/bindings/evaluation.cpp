#include <optional>
#include <tuple>

#include <pybind11/stl.h>

#include "arrays.hpp"
#include "bindings.hpp"
#include "lacuna/pipeline/memory.hpp"
#include "work.hpp"

namespace lacuna::python {

namespace {

/// Class names, class numbers, and per row the place of its stratum among the names.
using RowsTuple =
    std::tuple<std::vector<std::string>, Integers, std::optional<Integers>, std::vector<std::string>>;
/// Name, probabilities of the test rows, and lacuna's model when it is one.
using ClassifierTuple = std::tuple<std::string, Numbers, const Model*>;

std::span<const int> span_of(const Integers& array) {
  return {array.data(), static_cast<std::size_t>(array.size())};
}

LabeledRows labeled_rows(const RowsTuple& tuple) {
  const auto& [class_names, labels, strata, stratum_names] = tuple;
  return {class_names, span_of(labels), strata ? span_of(*strata) : std::span<const int>(), stratum_names};
}

std::string evaluate(const RowsTuple& rows, const Numbers& probabilities, const std::string& bin_kind,
                     Index n_bins, const py::object& progress) {
  const LabeledRows labeled = labeled_rows(rows);
  const MatrixView view = matrix_view(probabilities);
  const CurveOptions curve{parse_bin_kind(bin_kind), n_bins};
  std::string document;
  run_work(progress, [&](Observer&) { document = evaluation_json(evaluate_rows(labeled, view, curve)); });
  return document;
}

std::string page(const std::string& title, const RowsTuple& rows, const std::optional<Numbers>& features,
                 const std::optional<std::pair<Numbers, Integers>>& training,
                 const std::vector<ClassifierTuple>& classifiers, int threads, const py::object& progress) {
  RowsPageRequest request;
  request.title = title;
  request.rows = labeled_rows(rows);
  if (features) request.features = matrix_view(*features);
  if (training) {
    request.training.emplace();
    request.training->features = matrix_view(training->first);
    request.training->labels = span_of(training->second);
  }
  for (const auto& [name, probabilities, model] : classifiers)
    request.classifiers.push_back({name, matrix_view(probabilities), model});
  request.threads = threads;
  std::string html;
  run_work(progress, [&](Observer& observer) { html = rows_page(request, observer); });
  return html;
}

} // namespace

void bind_evaluation(py::module_& module) {
  module.def("evaluate_rows", evaluate, py::arg("rows"), py::arg("probabilities").noconvert(),
             py::arg("bin_kind"), py::arg("n_bins"), py::arg("progress"));
  module.def("rows_page", page, py::arg("title"), py::arg("rows"), py::arg("features").noconvert(),
             py::arg("training"), py::arg("classifiers"), py::arg("threads"), py::arg("progress"));
}

} // namespace lacuna::python
