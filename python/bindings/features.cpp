#include <pybind11/stl.h>

#include "arrays.hpp"
#include "bindings.hpp"
#include "lacuna/features/fit_features.hpp"
#include "model_io/archive_file.hpp"
#include "request.hpp"
#include "work.hpp"

namespace lacuna::python {

namespace {

constexpr const char* prefix = "features/";

FeatureChain fit(const Numbers& features, const SettingTexts& settings, const py::object& progress) {
  const FitRequest request = make_request(settings);
  const MatrixView rows = matrix_view(features);
  FeatureChain chain;
  run_work(progress, [&](Observer& observer) {
    chain = fit_features(request.features, rows, request.learning.seed, request.learning.threads, observer);
  });
  return chain;
}

Numbers apply(const FeatureChain& chain, const Numbers& features, int threads, const py::object& progress) {
  const MatrixView rows = matrix_view(features);
  Matrix mapped;
  run_work(progress, [&](Observer&) { mapped = chain.apply(rows, 0, threads); });
  Numbers result({mapped.n_rows(), mapped.n_cols()});
  std::copy(mapped.values().begin(), mapped.values().end(), result.mutable_data());
  return result;
}

py::bytes get_state(const FeatureChain& chain) {
  Archive archive;
  chain.save(archive, prefix);
  const std::vector<char> bytes = encode_archive(archive);
  return {bytes.data(), bytes.size()};
}

FeatureChain set_state(const py::bytes& state) {
  return FeatureChain::load(decode_archive(std::string_view(state), "a pickled feature map"), prefix);
}

} // namespace

void bind_features(py::module_& module) {
  py::class_<FeatureChain>(module, "FeatureChain")
      .def("apply", apply, py::arg("features").noconvert(), py::arg("threads"), py::arg("progress"))
      .def("n_outputs", &FeatureChain::n_outputs)
      .def("output_names", &FeatureChain::output_names)
      .def(py::pickle([](const FeatureChain& chain) { return get_state(chain); },
                      [](const py::bytes& state) { return set_state(state); }));
  module.def("fit_features", fit, py::arg("features").noconvert(), py::arg("settings"), py::arg("progress"));
}

} // namespace lacuna::python
