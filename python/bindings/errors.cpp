#include "lacuna/core/errors.hpp"

#include <exception>
#include <string>

#include "bindings.hpp"

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
  case ErrorKind::no_resources: return PyExc_MemoryError;
  case ErrorKind::internal: break;
  }
  return PyExc_RuntimeError;
}

/// Names of files and columns may be in any encoding.
py::object text_object(const std::string& text) {
  return py::reinterpret_steal<py::object>(
      PyUnicode_DecodeUTF8(text.data(), static_cast<py::ssize_t>(text.size()), "replace"));
}

void set_python_error(const Error& error) {
  const py::handle type = type_of(error.kind());
  const py::object exception = type(text_object(error.what()));
  const auto set = [&](const char* name, const std::string& text) {
    if (!text.empty()) exception.attr(name) = text_object(with_options(text, plain_style));
  };
  const ErrorParts& parts = error.parts();
  set("option", parts.option);
  set("file", parts.place.file);
  set("column", parts.place.column);
  set("found", parts.found);
  set("expected", parts.expected);
  set("remedy", parts.remedy);
  if (parts.place.row > 0) exception.attr("row") = parts.place.row;
  PyErr_SetObject(type.ptr(), exception.ptr());
}

void translate(std::exception_ptr failure) {
  try {
    if (failure) std::rethrow_exception(failure);
  } catch (const Error& error) {
    set_python_error(error);
  }
}

} // namespace

void bind_errors(py::module_& module) {
  static_cast<void>(module);
  py::register_exception_translator(translate);
}

} // namespace lacuna::python
