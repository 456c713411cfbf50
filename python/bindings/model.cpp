#include "lacuna/pipeline/model.hpp"
#include "lacuna/learning/guarantees.hpp"

#include <algorithm>
#include <optional>

#include <pybind11/stl.h>

#include "arrays.hpp"
#include "bindings.hpp"
#include "core/index.hpp"
#include "core/parallel.hpp"
#include "lacuna/pipeline/advise.hpp"
#include "lacuna/pipeline/documents.hpp"
#include "lacuna/pipeline/fit.hpp"
#include "options.hpp"
#include "pipeline/remote_table.hpp"
#include "python_density.hpp"
#include "python_member.hpp"
#include "python_objects.hpp"
#include "work.hpp"

namespace lacuna::python {

namespace {

using namespace py::literals;

/// Rows that are scored between two looks at Ctrl-C.
constexpr Index rows_per_thread = 1 << 12;

/// Name, categories (none for a number), and whether one feature holds the category's number.
using ColumnTuple = std::tuple<std::string, std::optional<std::vector<std::string>>, bool>;

TableSchema make_schema(const std::vector<ColumnTuple>& columns) {
  TableSchema schema;
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

/// What a fit learns from, as Python hands it over; arrays and names are borrowed. `density` is a
/// lacuna._any_density.AnyDensity, or None for one of the options; `members` are those of
/// lacuna._any_classifier that join a stack.
struct FitInputs {
  FitInputs(const Numbers& features, const Integers& labels, const std::vector<std::string>& class_names,
            const std::optional<Numbers>& weights, const std::vector<ColumnTuple>& columns,
            const OptionTexts& options, const py::object& density, const std::vector<py::object>& members)
      : plan(make_plan(options, density, members)) {
    task.schema = make_schema(columns);
    task.data.features = matrix_view(features);
    task.data.labels = {labels.data(), static_cast<std::size_t>(labels.size())};
    task.data.class_names = class_names;
    task.data.feature_names = task.schema.feature_names();
    task.data.weights = optional_span(weights);
    task.data.levels = task.schema.levels();
  }

  static FitPlan make_plan(const OptionTexts& options, const py::object& density,
                           const std::vector<py::object>& members) {
    FitRequest request = make_request(options);
    for (const py::object& member : members)
      request.members.push_back(std::make_shared<PythonMember>(member));
    if (density.is_none()) return FitPlan(std::move(request));
    return FitPlan(std::move(request), std::make_shared<PythonFamily>(density),
                   density.attr("name").cast<std::string>());
  }

  FitTask task;
  FitPlan plan;
};

/// One model per method, of the rows given or, where these are those that `whole` keeps, of all its rows.
std::vector<Model> fit_models(const std::vector<std::string>& methods, const Numbers& features,
                              const Integers& labels, const std::vector<std::string>& class_names,
                              const std::optional<Numbers>& weights, const std::vector<ColumnTuple>& columns,
                              const OptionTexts& options, const py::object& density,
                              const std::vector<py::object>& members, const std::string& label_type,
                              const py::object& progress, const RemoteTable* whole) {
  FitInputs inputs(features, labels, class_names, weights, columns, options, density, members);
  for (const std::string& method : methods)
    inputs.task.methods.push_back(find_choice<Method>(method).value());
  inputs.task.data.whole = whole;
  inputs.task.label_type = label_type;
  std::vector<Model> models;
  run_work(progress, [&](Observer& observer) { models = inputs.plan.fit(inputs.task, observer); });
  return models;
}

/// The document of the tool's JSON.
std::string diagnose_rows(const Numbers& features, const Integers& labels,
                          const std::vector<std::string>& class_names, const std::optional<Numbers>& weights,
                          const std::vector<ColumnTuple>& columns, const OptionTexts& options,
                          const py::object& density, const std::vector<py::object>& members,
                          const py::object& progress) {
  const FitInputs inputs(features, labels, class_names, weights, columns, options, density, members);
  std::string document;
  run_work(progress, [&](Observer& observer) {
    document = diagnosis_json(diagnose(inputs.plan, inputs.task, observer));
  });
  return document;
}

py::dict density_dict(const DensityRecord& density) {
  return py::dict("name"_a = density.name, "n_rows"_a = density.n_rows,
                  "n_components"_a = density.n_components, "n_iterations"_a = density.n_iterations,
                  "objective"_a = density.objective, "stop_reason"_a = to_string(density.stop_reason),
                  "measures"_a = density.measures);
}

py::dict summary_dict(const Model& model) {
  const FitSummary& summary = model.record.summary;
  py::dict counts;
  for (std::size_t y = 0; y < summary.class_counts.size(); ++y)
    counts[py::str(model.class_names()[y])] = summary.class_counts[y];
  py::list densities;
  for (const DensityRecord& density : summary.densities) densities.append(density_dict(density));
  return py::dict("n_labeled"_a = summary.n_labeled, "n_unlabeled"_a = summary.n_unlabeled,
                  "class_counts"_a = counts, "kappa"_a = summary.kappa, "kappa_asked"_a = summary.kappa_asked,
                  "n_informative"_a = summary.n_informative,
                  "informative_share"_a = summary.informative_share,
                  "informative_weight"_a = summary.informative_weight, "shrinkage"_a = summary.shrinkage,
                  "draw_spread"_a = summary.draw_spread, "n_em_iterations"_a = summary.n_em_iterations,
                  "stop_reason"_a = to_string(summary.stop_reason), "densities"_a = densities);
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

/// Rows of an array, some at a time.
class RowParts {
public:
  RowParts(const Numbers& features, int threads)
      : rows_(matrix_view(features)), n_rows_(rows_.n_rows),
        step_(rows_per_thread * resolve_threads(threads)) {}
  /// The library computes in 64 bits. Rows of 32 are converted some at a time, never all of them.
  RowParts(const Singles& features, int threads) {
    constexpr Index most_cells = Index{1} << 21;
    if (features.ndim() != 2) throw py::type_error("expected an array with two axes");
    n_rows_ = features.shape(0);
    rows_.n_cols = features.shape(1);
    singles_ = features.data();
    step_ = std::clamp<Index>(most_cells / std::max<Index>(1, rows_.n_cols), 1,
                              rows_per_thread * resolve_threads(threads));
    converted_.resize(static_cast<std::size_t>(step_ * rows_.n_cols));
  }

  Index n_rows() const { return n_rows_; }
  Index step() const { return step_; }
  /// At most `step()` rows; the next call overwrites them.
  MatrixView part(Index first, Index count) {
    if (singles_ == nullptr) return rows_.middle_rows(first, count);
    std::copy_n(singles_ + first * rows_.n_cols, count * rows_.n_cols, converted_.begin());
    return {converted_.data(), count, rows_.n_cols};
  }

private:
  MatrixView rows_{nullptr, 0, 0};
  const float* singles_ = nullptr;
  Index n_rows_ = 0;
  Index step_ = 1;
  std::vector<double> converted_;
};

/// Scores rows some at a time: `put` gets what is said of them, and the number of the first one.
template <typename Put>
void score_parts(const Model& model, RowParts rows, int threads, const py::object& progress, const Put& put) {
  run_work(progress, [&](Observer& observer) {
    for (Index first = 0; first < rows.n_rows(); first += rows.step()) {
      stop_if_cancelled(observer);
      observer.progress("scoring rows", static_cast<double>(first), static_cast<double>(rows.n_rows()));
      const MatrixView part = rows.part(first, std::min(rows.step(), rows.n_rows() - first));
      put(model.score(part, {.first_row = first, .threads = threads}), first);
    }
  });
}

template <typename Features>
py::tuple score(const Model& model, const Features& features, int threads, const py::object& progress) {
  const RowParts rows(features, threads);
  ScoreArrays arrays(rows.n_rows(), model.classifier.n_classes());
  const ScoreTarget target(arrays);
  score_parts(model, rows, threads, progress,
              [&](const Scores& scores, Index first) { target.put(scores, first); });
  return py::make_tuple(arrays.prediction, arrays.error_probability, arrays.informative, arrays.log_ratio,
                        arrays.posterior);
}

template <typename Features>
py::array_t<bool> sets(const Model& model, const Features& features, double coverage, double odds,
                       int threads, const py::object& progress) {
  const RowParts rows(features, threads);
  const Index n_classes = model.classifier.n_classes();
  py::array_t<bool> members({rows.n_rows(), n_classes});
  bool* const to = members.mutable_data();
  score_parts(model, rows, threads, progress, [&](const Scores& scores, Index first) {
    const std::vector<char> some = prediction_sets(model.classifier, scores, {coverage, odds});
    std::transform(some.begin(), some.end(), to + first * n_classes, [](char is_in) { return is_in != 0; });
  });
  return members;
}

template <typename Features>
py::array_t<bool> accept(const Model& model, const Features& features, double risk, double confidence,
                         int threads, const py::object& progress) {
  const Acceptance rule = acceptance(model.classifier, {risk, confidence});
  const RowParts rows(features, threads);
  py::array_t<bool> accepted(rows.n_rows());
  bool* const to = accepted.mutable_data();
  score_parts(model, rows, threads, progress, [&](const Scores& scores, Index first) {
    for (std::size_t i = 0; i < scores.prediction.size(); ++i)
      to[first + static_cast<Index>(i)] = rule.accepts(scores, i);
  });
  return accepted;
}

/// The document of the tool's JSON. `train` has training rows and the numbers of their classes.
std::string explain_row(const Model& model, const Numbers& features, Index row,
                        const std::optional<std::pair<Numbers, Integers>>& train,
                        const py::object& progress) {
  std::optional<TrainingRows> training;
  if (train)
    training = {matrix_view(train->first),
                {train->second.data(), static_cast<std::size_t>(train->second.size())}};
  std::string document;
  run_work(progress, [&](Observer& observer) {
    document = explanation_json(explain(model, matrix_view(features), row, training, observer));
  });
  return document;
}

/// What models do with rows, of 64 bits or 32.
template <typename Features>
void bind_scoring(py::class_<Model>& model) {
  const auto features = py::arg("features").noconvert();
  model.def("score", score<Features>, features, py::arg("threads"), py::arg("progress"))
      .def("sets", sets<Features>, features, py::arg("coverage"), py::arg("odds"), py::arg("threads"),
           py::arg("progress"))
      .def("accept", accept<Features>, features, py::arg("risk"), py::arg("confidence"), py::arg("threads"),
           py::arg("progress"));
}

/// Row, reason, prediction, second class, error probability, stands for, expected drop.
using AdvisedTuple = std::tuple<Index, std::string, int, int, double, double, double>;

py::tuple advise_rows(const Model& model, const Numbers& features, const std::optional<Integers>& labels,
                      Index n, int threads, const py::object& progress) {
  const std::span<const int> known =
      labels ? std::span<const int>(labels->data(), at(labels->size())) : std::span<const int>();
  Advice advice;
  run_work(progress, [&](Observer& observer) {
    advice = advise(model, matrix_view(features), known, {n, threads}, observer);
  });
  std::vector<AdvisedTuple> rows;
  for (const AdvisedRow& row : advice.rows)
    rows.emplace_back(row.row, to_string(row.reason), row.prediction, row.second, row.error_probability,
                      row.stands_for, row.expected_drop);
  return py::make_tuple(rows, advice.n_unlabeled, advice.mean_error_probability);
}

py::tuple get_state(const Model& model) {
  std::vector<py::object> objects;
  const PythonObjectList list(objects);
  const std::vector<char> bytes = encode_model(model);
  return py::make_tuple(py::bytes(bytes.data(), bytes.size()), objects);
}

Model set_state(const py::tuple& state) {
  auto objects = state[1].cast<std::vector<py::object>>();
  const PythonObjectList list(objects);
  return decode_model(state[0].cast<std::string_view>(), "a pickled model");
}

} // namespace

void bind_model(py::module_& module) {
  py::class_<Model> bound(module, "Model");
  bound.def_property_readonly("class_names", [](const Model& model) { return model.class_names(); })
      .def_property_readonly("columns", columns_of)
      .def_property_readonly("kappa", [](const Model& model) { return model.classifier.parts().kappa; })
      .def_property_readonly("informative_weight",
                             [](const Model& model) { return model.classifier.parts().informative_weight; })
      .def_property_readonly("takes_gaps", &Model::handles_missing_values)
      .def_property_readonly("options", [](const Model& model) { return option_dict(model.record.options); })
      .def_property_readonly("label_type", [](const Model& model) { return model.record.label_type; })
      .def_property_readonly("summary", summary_dict)
      .def("record_json", model_json)
      .def("explain", explain_row, py::arg("features").noconvert(), py::arg("row"), py::arg("train"),
           py::arg("progress"))
      .def("advise", advise_rows, py::arg("features").noconvert(), py::arg("labels").noconvert(),
           py::arg("n"), py::arg("threads"), py::arg("progress"))
      .def("save", [](const Model& model, const std::string& path,
                      bool overwrite) { save_model(model, path, overwrite); })
      .def(py::pickle([](const Model& model) { return get_state(model); },
                      [](const py::tuple& state) { return set_state(state); }));
  bind_scoring<Numbers>(bound);
  bind_scoring<Singles>(bound);
  module.def("load_model", load_model);
  module.def("fit_models", fit_models, py::arg("methods"), py::arg("features").noconvert(),
             py::arg("labels").noconvert(), py::arg("class_names"), py::arg("weights").noconvert(),
             py::arg("columns"), py::arg("options"), py::arg("density"), py::arg("members"),
             py::arg("label_type"), py::arg("progress"), py::arg("whole") = nullptr);
  module.def("diagnose_rows", diagnose_rows, py::arg("features").noconvert(), py::arg("labels").noconvert(),
             py::arg("class_names"), py::arg("weights").noconvert(), py::arg("columns"), py::arg("options"),
             py::arg("density"), py::arg("members"), py::arg("progress"));
}

} // namespace lacuna::python
