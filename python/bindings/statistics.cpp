#include <optional>

#include <pybind11/stl.h>

#include "bindings.hpp"
#include "fitted_density.hpp"
#include "lacuna/data/dataset.hpp"
#include "lacuna/density/mixture_statistics.hpp"
#include "options.hpp"
#include "pickles.hpp"
#include "work.hpp"

namespace lacuna::python {

namespace {

MixtureStatistics count(const FittedDensity& mixture, const Numbers& features,
                        const std::optional<Numbers>& weights, int threads, const py::object& progress) {
  DatasetView data;
  data.features = rows_for(*mixture.density, features);
  data.weights = optional_span(weights);
  MixtureStatistics result(*mixture.density);
  run_work(progress, [&](Observer&) {
    check_dataset(data);
    if (!mixture.density->handles_missing_values()) require_complete(data.features, {}, 0, "this density");
    result.add(*mixture.density, WeightedRows(data.features, data.weights), threads);
  });
  return result;
}

FittedDensity update(const FittedDensity& mixture, const MixtureStatistics& statistics,
                     const OptionTexts& options) {
  return {update_mixture(*mixture.density, statistics, make_request(options).density)};
}

MixtureStatistics sum(MixtureStatistics all, const MixtureStatistics& more) {
  all.add(more);
  return all;
}

MixtureStatistics difference(MixtureStatistics all, const MixtureStatistics& some) {
  all.subtract(some);
  return all;
}

} // namespace

void bind_statistics(py::module_& module) {
  py::class_<MixtureStatistics>(module, "Statistics")
      .def_property_readonly("total_weight", &MixtureStatistics::total_weight)
      .def("__add__", sum, py::is_operator())
      .def("__sub__", difference, py::is_operator())
      .def(py::pickle([](const MixtureStatistics& statistics) { return to_pickle(statistics); },
                      [](const py::bytes& state) {
                        return MixtureStatistics::load(from_pickle(state, "pickled statistics"),
                                                       pickle_prefix);
                      }));
  module.def("count_statistics", count, py::arg("mixture"), py::arg("features").noconvert(),
             py::arg("weights").noconvert(), py::arg("threads"), py::arg("progress"));
  module.def("update_mixture", update, py::arg("mixture"), py::arg("statistics"), py::arg("options"));
}

} // namespace lacuna::python
