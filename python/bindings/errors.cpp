#include <exception>
#include <string>

#include "bindings.hpp"
#include "lacuna/core/errors.hpp"
#include "messages.hpp"

namespace lacuna::python {

namespace {

PyObject* type_of(ErrorKind kind) {
  switch (kind) {
  case ErrorKind::usage:
  case ErrorKind::data:
  case ErrorKind::config: return PyExc_ValueError;
  case ErrorKind::no_input: return PyExc_FileNotFoundError;
  case ErrorKind::cannot_write: return PyExc_OSError;
  case ErrorKind::interrupted: return PyExc_KeyboardInterrupt;
  case ErrorKind::internal: break;
  }
  return PyExc_RuntimeError;
}

void translate(std::exception_ptr failure) {
  try {
    if (failure) std::rethrow_exception(failure);
  } catch (const Error& error) {
    PyErr_SetString(type_of(error.kind()), in_python_words(error.what()).c_str());
  }
}

} // namespace

void bind_errors(py::module_& module) {
  static_cast<void>(module);
  py::register_exception_translator(translate);
}

} // namespace lacuna::python
