#pragma once

#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <pybind11/numpy.h>

#include "lacuna/core/matrix.hpp"

namespace lacuna::python {

namespace py = pybind11;

/// Arrays as Python hands them over: of this type and in C order, or the call is a TypeError. Nothing is
/// converted here, so nothing is copied either.
using Numbers = py::array_t<double, py::array::c_style>;
using Singles = py::array_t<float, py::array::c_style>;
using Integers = py::array_t<int, py::array::c_style>;

/// A borrowed view of a table; the array must outlive it.
inline MatrixView matrix_view(const Numbers& array) {
  if (array.ndim() != 2) throw py::type_error("expected an array with two axes");
  return {array.data(), array.shape(0), array.shape(1)};
}

/// One number per row, or nothing.
inline std::span<const double> optional_span(const std::optional<Numbers>& array) {
  if (!array) return {};
  return {array->data(), static_cast<std::size_t>(array->size())};
}

/// A vector as an array that owns it.
template <typename Value>
py::array_t<Value> to_array(std::vector<Value> values) {
  auto owned = std::make_unique<std::vector<Value>>(std::move(values));
  const Value* const data = owned->data();
  const auto size = static_cast<py::ssize_t>(owned->size());
  py::capsule owner(owned.release(), [](void* memory) { delete static_cast<std::vector<Value>*>(memory); });
  return py::array_t<Value>(size, data, owner);
}

} // namespace lacuna::python
