#include "lacuna/density/density.hpp"

#include <algorithm>
#include <optional>

#include <pybind11/stl.h>

#include "bindings.hpp"
#include "core/parallel.hpp"
#include "fitted_density.hpp"
#include "lacuna/data/dataset.hpp"
#include "lacuna/density/families.hpp"
#include "options.hpp"
#include "pickles.hpp"
#include "work.hpp"

namespace lacuna::python {

namespace {

constexpr Index block_rows = 1024;

FittedDensity fit_density(const Numbers& features, const std::optional<Numbers>& weights,
                          const OptionTexts& options, const py::object& progress) {
  const FitRequest request = make_request(options);
  const std::shared_ptr<const DensityFamily> family = make_density_family(request.density);
  DatasetView data;
  data.features = matrix_view(features);
  data.weights = optional_span(weights);
  FittedDensity fitted;
  run_work(progress, [&](Observer& observer) {
    check_dataset(data);
    if (!family->handles_missing_values()) require_complete(data.features, {}, 0, "this density");
    DensityFitContext context;
    context.seed = request.seed;
    context.threads = request.threads;
    context.observer = &observer;
    fitted.density = family->fit(WeightedRows(data.features, data.weights), context);
  });
  return fitted;
}

Numbers log_density(const FittedDensity& fitted, const Numbers& features, int threads,
                    const py::object& progress) {
  const Density& density = *fitted.density;
  const MatrixView rows = rows_for(density, features);
  Numbers result(rows.n_rows);
  double* const out = result.mutable_data();
  run_work(progress, [&](Observer& observer) {
    if (!density.handles_missing_values()) require_complete(rows, {}, 0, "this density");
    const Index n_blocks = (rows.n_rows + block_rows - 1) / block_rows;
    parallel_for(n_blocks, threads, [&](Index block) {
      stop_if_cancelled(observer);
      const Index first = block * block_rows;
      const Index n = std::min(block_rows, rows.n_rows - first);
      density.log_density(rows.middle_rows(first, n), {out + first, static_cast<std::size_t>(n)});
    });
  });
  return result;
}

Numbers sample(const FittedDensity& fitted, Index n_rows, std::uint64_t seed) {
  const auto n_features = static_cast<std::size_t>(fitted.density->n_features());
  Numbers result({n_rows, fitted.density->n_features()});
  double* const out = result.mutable_data();
  run_work(py::none(), [&](Observer& observer) {
    for (Index i = 0; i < n_rows; ++i) {
      if (i % block_rows == 0) stop_if_cancelled(observer);
      RandomStream random(seed, RandomPurpose::sample, static_cast<std::uint64_t>(i));
      fitted.density->sample(random, {out + static_cast<std::size_t>(i) * n_features, n_features});
    }
  });
  return result;
}

py::dict summary(const FittedDensity& fitted) {
  const DensityFitSummary& all = fitted.density->summary();
  py::dict result;
  result["n_components"] = all.n_components;
  result["n_iterations"] = all.n_iterations;
  result["objective"] = all.objective;
  result["stop_reason"] = to_string(all.stop_reason);
  result["history"] = to_array(all.history);
  result["measures"] = all.measures;
  return result;
}

} // namespace

void bind_density(py::module_& module) {
  py::class_<FittedDensity>(module, "Density")
      .def_property_readonly("family", [](const FittedDensity& fitted) { return fitted.density->family(); })
      .def_property_readonly("n_features",
                             [](const FittedDensity& fitted) { return fitted.density->n_features(); })
      .def_property_readonly("summary", summary)
      .def("log_density", log_density, py::arg("features").noconvert(), py::arg("threads"),
           py::arg("progress"))
      .def("sample", sample)
      .def(py::pickle([](const FittedDensity& fitted) { return to_pickle(*fitted.density); },
                      [](const py::bytes& state) {
                        return FittedDensity{
                            load_density(from_pickle(state, "a pickled density"), pickle_prefix)};
                      }));
  module.def("fit_density", fit_density, py::arg("features").noconvert(), py::arg("weights").noconvert(),
             py::arg("options"), py::arg("progress"));
}

} // namespace lacuna::python
