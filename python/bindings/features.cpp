#include <pybind11/stl.h>

#include "arrays.hpp"
#include "bindings.hpp"
#include "lacuna/features/fit_features.hpp"
#include "options.hpp"
#include "pickles.hpp"
#include "work.hpp"

namespace lacuna::python {

namespace {

FeatureChain fit_vae(const Numbers& features, Index n_latent, const OptionTexts& options,
                     const py::object& progress) {
  FitRequest request = make_request(options);
  request.features = {FeatureSpec{.kind = "vae"}};
  request.vae.n_latent = n_latent;
  OptionChecks checks;
  n_latent_row().check(request.vae, checks);
  checks.throw_if_any();
  const MatrixView rows = matrix_view(features);
  FeatureChain chain;
  run_work(progress, [&](Observer& observer) {
    chain = fit_features(
        request, {.rows = rows, .seed = request.seed, .threads = request.threads, .device = request.device},
        observer);
  });
  return chain;
}

Numbers apply(const FeatureChain& chain, const Numbers& features, int threads, const py::object& progress) {
  const MatrixView rows = matrix_view(features);
  Matrix mapped;
  run_work(progress, [&](Observer&) { mapped = chain.apply(rows, {.threads = threads}); });
  Numbers result({mapped.n_rows(), mapped.n_cols()});
  std::copy(mapped.values().begin(), mapped.values().end(), result.mutable_data());
  return result;
}

} // namespace

void bind_features(py::module_& module) {
  py::class_<FeatureChain>(module, "FeatureChain")
      .def("apply", apply, py::arg("features").noconvert(), py::arg("threads"), py::arg("progress"))
      .def("n_outputs", &FeatureChain::n_outputs)
      .def("output_names", &FeatureChain::output_names)
      .def(py::pickle([](const FeatureChain& chain) { return to_pickle(chain); },
                      [](const py::bytes& state) {
                        return FeatureChain::load(from_pickle(state, "a pickled feature map"), pickle_prefix);
                      }));
  module.def("fit_vae", fit_vae, py::arg("features").noconvert(), py::arg("n_latent"), py::arg("options"),
             py::arg("progress"));
}

} // namespace lacuna::python
