#pragma once

#include <memory>
#include <string>
#include <vector>

#include <pybind11/pybind11.h>

#include "lacuna/density/density.hpp"

namespace lacuna::python {

/// The family of densities that are Python objects. It is registered when a pickle holds one, and no choice
/// for anybody.
inline constexpr const char* python_family_name = "python-object";

/// A density family that is a Python object (lacuna._any_density.AnyDensity): `fit(X, weights, seed)` returns
/// a fitted object, `log_density(fitted, X)` its log densities, `handles_missing_values` is a bool. The GIL
/// is taken for each call, so it may be used from any thread.
class PythonFamily : public DensityFamily {
public:
  explicit PythonFamily(const pybind11::object& bridge);
  std::shared_ptr<const Density> fit(const WeightedRows& rows,
                                     const DensityFitContext& context) const override;
  bool handles_missing_values() const override { return handles_missing_values_; }

private:
  std::shared_ptr<pybind11::object> bridge_; ///< let go of with the GIL held
  bool handles_missing_values_ = false;
};

/// While one lives, densities that are Python objects can be saved to and loaded from an archive on this
/// thread: the archive holds their places in the list. That is what pickling does; a model file cannot hold
/// them.
class PythonDensityList {
public:
  explicit PythonDensityList(std::vector<pybind11::object>& objects);
  ~PythonDensityList();
  PythonDensityList(const PythonDensityList&) = delete;
  PythonDensityList& operator=(const PythonDensityList&) = delete;
};

} // namespace lacuna::python
