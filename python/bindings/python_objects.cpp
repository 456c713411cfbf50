#include "python_objects.hpp"

#include <utility>

#include "lacuna/core/errors.hpp"
#include "python_density.hpp"
#include "python_member.hpp"

namespace lacuna::python {

namespace py = pybind11;

namespace {

thread_local std::vector<py::object>* listed_objects = nullptr;

} // namespace

std::shared_ptr<py::object> shared_object(py::object object) {
  return {new py::object(std::move(object)), [](py::object* owned) {
            const py::gil_scoped_acquire acquire;
            delete owned;
          }};
}

PythonObjectList::PythonObjectList(std::vector<py::object>& objects) {
  register_python_density();
  register_python_member();
  listed_objects = &objects;
}

PythonObjectList::~PythonObjectList() {
  listed_objects = nullptr;
}

void save_object(Archive& archive, const std::string& prefix, const py::object& bridge,
                 const py::object& fitted, const std::string& what, const std::string& instead) {
  if (listed_objects == nullptr)
    throw Error(ErrorKind::usage, "this model's " + what +
                                      " are Python objects, which a model file cannot hold; keep the model "
                                      "with pickle or joblib, or fit " +
                                      instead);
  archive.put(prefix + "object", static_cast<double>(listed_objects->size()));
  listed_objects->push_back(py::make_tuple(bridge, fitted));
}

SavedObject load_object(const Archive& archive, const std::string& prefix) {
  if (listed_objects == nullptr)
    throw Error(ErrorKind::data, "a part that is a Python object was found outside of a pickle");
  const auto n_objects = static_cast<Index>(listed_objects->size());
  const Index place = archive.integer(prefix + "object", 0, n_objects - 1);
  const auto parts = (*listed_objects)[static_cast<std::size_t>(place)].cast<py::tuple>();
  return {shared_object(parts[0]), parts[1]};
}

} // namespace lacuna::python
