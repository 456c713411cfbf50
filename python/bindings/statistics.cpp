#include <optional>

#include <pybind11/stl.h>

#include "bindings.hpp"
#include "fitted_density.hpp"
#include "lacuna/data/dataset.hpp"
#include "lacuna/density/mixture_statistics.hpp"
#include "model_io/archive_file.hpp"
#include "request.hpp"
#include "work.hpp"

namespace lacuna::python {

namespace {

constexpr const char* prefix = "statistics/";

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
                     const SettingTexts& settings) {
  return {update_mixture(*mixture.density, statistics, make_request(settings).learning)};
}

py::bytes get_state(const MixtureStatistics& statistics) {
  Archive archive;
  statistics.save(archive, prefix);
  const std::vector<char> bytes = encode_archive(archive);
  return {bytes.data(), bytes.size()};
}

MixtureStatistics set_state(const py::bytes& state) {
  return MixtureStatistics::load(decode_archive(std::string_view(state), "pickled statistics"), prefix);
}

} // namespace

void bind_statistics(py::module_& module) {
  py::class_<MixtureStatistics>(module, "Statistics")
      .def_property_readonly("total_weight", &MixtureStatistics::total_weight)
      .def(
          "__add__",
          [](const MixtureStatistics& a, const MixtureStatistics& b) {
            MixtureStatistics sum = a;
            sum.add(b);
            return sum;
          },
          py::is_operator())
      .def(
          "__sub__",
          [](const MixtureStatistics& a, const MixtureStatistics& b) {
            MixtureStatistics rest = a;
            rest.subtract(b);
            return rest;
          },
          py::is_operator())
      .def(py::pickle([](const MixtureStatistics& statistics) { return get_state(statistics); },
                      [](const py::bytes& state) { return set_state(state); }));
  module.def("count_statistics", count, py::arg("mixture"), py::arg("features").noconvert(),
             py::arg("weights").noconvert(), py::arg("threads"), py::arg("progress"));
  module.def("update_mixture", update, py::arg("mixture"), py::arg("statistics"), py::arg("settings"));
}

} // namespace lacuna::python
