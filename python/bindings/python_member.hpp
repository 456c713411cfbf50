#pragma once

#include <memory>
#include <string>

#include <pybind11/pybind11.h>

#include "lacuna/conditional/conditional.hpp"

namespace lacuna::python {

/// A member of the stack that is a Python object (lacuna._any_classifier.AnyClassifier): `fit(X, labels,
/// weights, seed)` returns a fitted object, `probabilities(fitted, X)` those of all classes, `name` is what
/// messages call it. The GIL is taken for each call, so it may be used from any thread.
class PythonMember : public ConditionalFamily {
public:
  explicit PythonMember(const pybind11::object& bridge);
  std::string name() const override { return name_; }
  std::shared_ptr<const Conditional> fit(const DatasetView& data,
                                         const ConditionalFitContext& context) const override;

private:
  std::shared_ptr<pybind11::object> bridge_; ///< let go of with the GIL held
  std::string name_;
};

/// So that pickles of such members can be loaded.
void register_python_member();

} // namespace lacuna::python
