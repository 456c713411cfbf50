#pragma once

#include <memory>

#include <pybind11/pybind11.h>

#include "lacuna/density/density.hpp"

namespace lacuna::python {

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

/// So that pickles of such densities can be loaded.
void register_python_density();

} // namespace lacuna::python
