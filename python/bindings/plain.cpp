#include <tuple>

#include <pybind11/stl.h>

#include "arrays.hpp"
#include "bindings.hpp"
#include "lacuna/pipeline/compare.hpp"
#include "pipeline/plain_models.hpp"
#include "work.hpp"

namespace lacuna::python {

namespace {

/// The plain models of what a model was fitted to, and why some are left out.
std::pair<std::vector<PlainModel>, std::string> fit_plain(const Model& like, const Numbers& features,
                                                          const Integers& labels, int threads,
                                                          const py::object& progress) {
  DatasetView data;
  data.features = matrix_view(features);
  data.labels = {labels.data(), static_cast<std::size_t>(labels.size())};
  data.class_names = like.class_names();
  data.levels = like.schema.levels();
  PlainModels plain;
  run_work(progress, [&](Observer& observer) { plain = fit_plain_models(like, data, threads, observer); });
  return {std::move(plain.models), std::move(plain.left_out)};
}

Numbers probabilities(const PlainModel& plain, const Model& like, const Numbers& features, int threads,
                      const py::object& progress) {
  const MatrixView rows = matrix_view(features);
  Numbers result({rows.n_rows, plain.fitted->n_classes()});
  double* const out = result.mutable_data();
  run_work(progress, [&](Observer&) {
    const Matrix found = plain_probabilities(plain, like, rows, {.threads = threads});
    std::copy(found.values().begin(), found.values().end(), out);
  });
  return result;
}

/// Name, whether it is none of lacuna's methods, brier_error. The winner's name and what to say about it.
std::pair<std::string, std::string>
winner(const std::vector<std::tuple<std::string, bool, double>>& competitors) {
  std::vector<Competitor> all;
  for (const auto& [name, is_plain, brier_error] : competitors) all.push_back({name, is_plain, brier_error});
  const Winner found = find_winner(all);
  return {found.name, found.words};
}

} // namespace

void bind_plain(py::module_& module) {
  py::class_<PlainModel>(module, "PlainModel")
      .def_readonly("name", &PlainModel::name)
      .def("probabilities", probabilities, py::arg("like"), py::arg("features").noconvert(),
           py::arg("threads"), py::arg("progress"));
  module.def("fit_plain_models", fit_plain, py::arg("like"), py::arg("features").noconvert(),
             py::arg("labels").noconvert(), py::arg("threads"), py::arg("progress"));
  module.def("find_winner", winner, py::arg("competitors"));
}

} // namespace lacuna::python
