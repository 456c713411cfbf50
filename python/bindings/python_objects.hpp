#pragma once

#include <memory>
#include <string>
#include <vector>

#include <pybind11/pybind11.h>

#include "lacuna/core/archive.hpp"

// Python objects inside of models. The GIL is needed for all that is done to them.

namespace lacuna::python {

/// The family of what is a Python object, density or classifier. It is registered when a pickle holds one,
/// and no choice for anybody.
inline constexpr const char* python_family_name = "python-object";

/// An object that any thread may let go of.
std::shared_ptr<pybind11::object> shared_object(pybind11::object object);

/// While one lives, Python objects can be saved to and loaded from an archive on this thread: the archive
/// holds their places in the list. That is what pickling does; a model file cannot hold them.
class PythonObjectList {
public:
  explicit PythonObjectList(std::vector<pybind11::object>& objects);
  ~PythonObjectList();
  PythonObjectList(const PythonObjectList&) = delete;
  PythonObjectList& operator=(const PythonObjectList&) = delete;
};

/// A fitted object and what calls it: puts both into the list, and their place into the archive. Throws
/// Error(usage) where there is no list: the text then names `what` of the model they are, and what to fit
/// `instead`.
void save_object(Archive& archive, const std::string& prefix, const pybind11::object& bridge,
                 const pybind11::object& fitted, const std::string& what, const std::string& instead);
struct SavedObject {
  std::shared_ptr<pybind11::object> bridge;
  pybind11::object fitted;
};
/// Both again. Throws Error(data).
SavedObject load_object(const Archive& archive, const std::string& prefix);

} // namespace lacuna::python
