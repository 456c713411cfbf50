#include "lacuna/pipeline/model.hpp"

#include <algorithm>
#include <optional>

#include <pybind11/stl.h>

#include "arrays.hpp"
#include "bindings.hpp"
#include "core/parallel.hpp"
#include "lacuna/pipeline/workflows.hpp"
#include "python_density.hpp"
#include "request.hpp"
#include "work.hpp"

namespace lacuna::python {

namespace {

/// Rows that are scored between two looks at Ctrl-C.
constexpr Index rows_per_thread = 1 << 12;

/// Name, categories (none for a number), and whether one feature holds the category's number.
using ColumnTuple = std::tuple<std::string, std::optional<std::vector<std::string>>, bool>;

TableSchema make_schema(const std::vector<ColumnTuple>& columns, const std::string& label_column) {
  TableSchema schema;
  schema.label_column = label_column;
  for (const auto& [name, categories, is_coded] : columns)
    schema.columns.push_back({name, categories.has_value(), categories.value_or(std::vector<std::string>{}),
                              is_coded && categories.has_value()});
  return schema;
}

std::vector<ColumnTuple> columns_of(const Model& model) {
  std::vector<ColumnTuple> result;
  for (const TableColumn& column : model.schema.columns)
    result.emplace_back(column.name, column.is_categorical ? std::optional(column.categories) : std::nullopt,
                        column.is_coded);
  return result;
}

/// One model per method.
std::vector<Model> fit_models(const std::vector<std::string>& methods, const Numbers& features,
                              const Integers& labels, const std::vector<std::string>& class_names,
                              const std::optional<Numbers>& weights, const std::vector<ColumnTuple>& columns,
                              const SettingTexts& settings, const py::object& density,
                              const py::object& progress) {
  const FitRequest request = make_request(settings);
  const TableSchema schema = make_schema(columns, request.label_column);
  std::vector<Method> wanted;
  for (const std::string& method : methods) wanted.push_back(parse_method(method));
  DatasetView data;
  data.features = matrix_view(features);
  data.labels = {labels.data(), static_cast<std::size_t>(labels.size())};
  data.class_names = class_names;
  data.feature_names = schema.feature_names();
  data.weights = optional_span(weights);
  data.levels = schema.levels();
  std::optional<PythonFamily> family;
  if (!density.is_none()) family.emplace(density);
  std::vector<FitOutcome> outcomes;
  run_work(progress, [&](Observer& observer) {
    outcomes = fit_dataset(request, wanted, data, schema, family ? &*family : nullptr, observer);
  });
  std::vector<Model> models;
  for (FitOutcome& outcome : outcomes) models.push_back(std::move(outcome.model));
  return models;
}

/// What the classifier says, as arrays of the caller.
struct ScoreArrays {
  explicit ScoreArrays(Index n_rows, Index n_classes)
      : prediction(n_rows), error_probability(n_rows), informative(n_rows), log_ratio(n_rows),
        posterior({n_rows, n_classes}) {}

  Integers prediction;
  Numbers error_probability;
  py::array_t<bool> informative;
  Numbers log_ratio;
  Numbers posterior;
};

/// Where the numbers of ScoreArrays go; no Python is needed to write there.
struct ScoreTarget {
  explicit ScoreTarget(ScoreArrays& arrays)
      : prediction(arrays.prediction.mutable_data()),
        error_probability(arrays.error_probability.mutable_data()),
        informative(arrays.informative.mutable_data()), log_ratio(arrays.log_ratio.mutable_data()),
        posterior(arrays.posterior.mutable_data()) {}

  void put(const Scores& scores, Index first) const {
    std::copy(scores.prediction.begin(), scores.prediction.end(), prediction + first);
    std::copy(scores.error_probability.begin(), scores.error_probability.end(), error_probability + first);
    std::transform(scores.informative.begin(), scores.informative.end(), informative + first,
                   [](char flag) { return flag != 0; });
    std::copy(scores.log_ratio.begin(), scores.log_ratio.end(), log_ratio + first);
    const auto values = scores.posterior.values();
    std::copy(values.begin(), values.end(), posterior + first * scores.posterior.n_cols());
  }

  int* prediction;
  double* error_probability;
  bool* informative;
  double* log_ratio;
  double* posterior;
};

py::tuple score(const Model& model, const Numbers& features, int threads, const py::object& progress) {
  const MatrixView rows = matrix_view(features);
  ScoreArrays arrays(rows.n_rows, model.classifier.n_classes());
  const ScoreTarget target(arrays);
  const Index step = rows_per_thread * resolve_threads(threads);
  run_work(progress, [&](Observer& observer) {
    for (Index first = 0; first < rows.n_rows; first += step) {
      stop_if_cancelled(observer);
      observer.progress("scoring rows", static_cast<double>(first), static_cast<double>(rows.n_rows));
      const MatrixView part = rows.middle_rows(first, std::min(step, rows.n_rows - first));
      target.put(model.score(part, first, threads), first);
    }
  });
  return py::make_tuple(arrays.prediction, arrays.error_probability, arrays.informative, arrays.log_ratio,
                        arrays.posterior);
}

py::tuple get_state(const Model& model) {
  std::vector<py::object> objects;
  const PythonDensityList list(objects);
  const std::vector<char> bytes = encode_model(model);
  return py::make_tuple(py::bytes(bytes.data(), bytes.size()), objects);
}

Model set_state(const py::tuple& state) {
  auto objects = state[1].cast<std::vector<py::object>>();
  const PythonDensityList list(objects);
  return decode_model(state[0].cast<std::string_view>(), "a pickled model");
}

} // namespace

void bind_model(py::module_& module) {
  py::class_<Model>(module, "Model")
      .def_property_readonly("class_names",
                             [](const Model& model) { return model.classifier.parts().class_names; })
      .def_property_readonly("columns", columns_of)
      .def_property_readonly("label_column", [](const Model& model) { return model.schema.label_column; })
      .def_property_readonly("kappa", [](const Model& model) { return model.classifier.parts().kappa; })
      .def_property_readonly("informative_weight",
                             [](const Model& model) { return model.classifier.parts().informative_weight; })
      .def_property_readonly("takes_gaps",
                             [](const Model& model) {
                               const auto& maps = model.features.maps();
                               return model.classifier.handles_missing_values() &&
                                      std::all_of(maps.begin(), maps.end(), [](const auto& map) {
                                        return map->handles_missing_values();
                                      });
                             })
      .def_readwrite("record", &Model::record)
      .def("score", score, py::arg("features").noconvert(), py::arg("threads"), py::arg("progress"))
      .def("save", [](const Model& model, const std::string& path,
                      bool overwrite) { save_model(model, path, overwrite); })
      .def(py::pickle([](const Model& model) { return get_state(model); },
                      [](const py::tuple& state) { return set_state(state); }));
  module.def("load_model", load_model);
  module.def("fit_models", fit_models, py::arg("methods"), py::arg("features").noconvert(),
             py::arg("labels").noconvert(), py::arg("class_names"), py::arg("weights").noconvert(),
             py::arg("columns"), py::arg("settings"), py::arg("density"), py::arg("progress"));
}

} // namespace lacuna::python
