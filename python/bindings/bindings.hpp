#pragma once

#include <pybind11/pybind11.h>

// One function per file of this folder: it adds its part to the module.

namespace lacuna::python {

namespace py = pybind11;

void bind_errors(py::module_& module);
void bind_options(py::module_& module);
void bind_model(py::module_& module);
void bind_plain(py::module_& module);
void bind_density(py::module_& module);
void bind_features(py::module_& module);
void bind_evaluation(py::module_& module);
void bind_statistics(py::module_& module);
void bind_parts(py::module_& module);

} // namespace lacuna::python
