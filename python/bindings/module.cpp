#include "bindings.hpp"
#include "lacuna/core/version.hpp"

// lacuna._core: what the Python package needs of the library, no more. Checks that a user sees, names and
// scikit-learn's manners are Python's part; this file only tells which pieces there are.
PYBIND11_MODULE(_core, module) {
  module.doc() = "The compiled part of lacuna; use the classes of the package instead.";
  module.attr("version") = lacuna::version();
  lacuna::python::bind_errors(module);
  lacuna::python::bind_options(module);
  lacuna::python::bind_parts(module);
  lacuna::python::bind_model(module);
  lacuna::python::bind_plain(module);
  lacuna::python::bind_density(module);
  lacuna::python::bind_features(module);
  lacuna::python::bind_evaluation(module);
  lacuna::python::bind_statistics(module);
}
