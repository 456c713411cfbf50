#include "python_density.hpp"

#include <algorithm>
#include <cmath>
#include <mutex>
#include <utility>

#include <pybind11/numpy.h>

#include "arrays.hpp"
#include "lacuna/core/errors.hpp"
#include "lacuna/density/families.hpp"

namespace lacuna::python {

namespace {

thread_local std::vector<py::object>* listed_objects = nullptr;

/// An object that any thread may let go of.
std::shared_ptr<py::object> shared_object(py::object object) {
  return {new py::object(std::move(object)), [](py::object* owned) {
            const py::gil_scoped_acquire acquire;
            delete owned;
          }};
}

class PythonDensity : public Density {
public:
  PythonDensity(std::shared_ptr<py::object> bridge, py::object fitted, Index n_features,
                bool handles_missing_values)
      : Density({python_family_name, n_features, {}}), bridge_(std::move(bridge)),
        fitted_(shared_object(std::move(fitted))), handles_missing_values_(handles_missing_values) {}

  void log_density(MatrixView rows, std::span<double> out) const override {
    const py::gil_scoped_acquire acquire;
    Numbers copy({rows.n_rows, rows.n_cols}); // the object may keep what it is given
    std::copy_n(rows.data, rows.n_rows * rows.n_cols, copy.mutable_data());
    const auto values = bridge_->attr("log_density")(*fitted_, copy).cast<Numbers>();
    std::copy_n(values.data(), rows.n_rows, out.begin());
  }
  void sample(RandomStream& /*random*/, std::span<double> /*out*/) const override {
    throw Error(ErrorKind::usage, "a density that is a Python object draws no samples here; ask the object");
  }
  bool handles_missing_values() const override { return handles_missing_values_; }

private:
  void save_parts(Archive& archive, const std::string& prefix) const override {
    if (listed_objects == nullptr)
      throw Error(ErrorKind::usage,
                  "this model's densities are Python objects, which a model file cannot hold; keep the model "
                  "with pickle or joblib, or fit one of lacuna's own densities");
    archive.put(prefix + "object", static_cast<double>(listed_objects->size()));
    archive.put(prefix + "handles_missing_values", handles_missing_values_ ? 1.0 : 0.0);
    listed_objects->push_back(py::make_tuple(*bridge_, *fitted_));
  }

  std::shared_ptr<py::object> bridge_;
  std::shared_ptr<py::object> fitted_;
  bool handles_missing_values_;
};

std::shared_ptr<const Density> load_python_density(const Archive& archive, const std::string& prefix,
                                                   const DensityFacts& facts) {
  if (listed_objects == nullptr)
    throw Error(ErrorKind::data, "a density that is a Python object was found outside of a pickle");
  const auto n_objects = static_cast<Index>(listed_objects->size());
  const Index place = archive.integer(prefix + "object", 0, n_objects - 1);
  const auto parts = (*listed_objects)[static_cast<std::size_t>(place)].cast<py::tuple>();
  return std::make_shared<PythonDensity>(shared_object(parts[0]), parts[1], facts.n_features,
                                         archive.integer(prefix + "handles_missing_values", 0, 1) == 1);
}

void register_once() {
  static std::once_flag flag;
  std::call_once(flag, [] {
    DensityFamilyEntry entry;
    entry.name = python_family_name;
    entry.make = [](const std::any&) -> std::shared_ptr<const DensityFamily> {
      throw Error(ErrorKind::usage, "density: give the Python object itself, not its family's name");
    };
    entry.load = load_python_density;
    register_density_family(std::move(entry));
  });
}

} // namespace

PythonFamily::PythonFamily(const py::object& bridge)
    : bridge_(shared_object(bridge)),
      handles_missing_values_(bridge.attr("handles_missing_values").cast<bool>()) {}

std::shared_ptr<const Density> PythonFamily::fit(const WeightedRows& rows,
                                                 const DensityFitContext& context) const {
  if (context.observer != nullptr) stop_if_cancelled(*context.observer);
  Index n_rows = 0;
  for (Index i = 0; i < rows.size(); ++i) n_rows += rows.weight(i) > 0.0 ? 1 : 0;
  const py::gil_scoped_acquire acquire;
  Numbers features({n_rows, rows.n_features()});
  Numbers weights(n_rows);
  Index filled = 0;
  for (Index i = 0; i < rows.size(); ++i) {
    if (!(rows.weight(i) > 0.0)) continue;
    std::copy_n(rows.row(i), rows.n_features(), features.mutable_data(filled, 0));
    weights.mutable_at(filled++) = rows.weight(i);
  }
  py::object fitted = bridge_->attr("fit")(features, weights, context.seed);
  return std::make_shared<PythonDensity>(bridge_, std::move(fitted), rows.n_features(),
                                         handles_missing_values_);
}

PythonDensityList::PythonDensityList(std::vector<py::object>& objects) {
  register_once();
  listed_objects = &objects;
}

PythonDensityList::~PythonDensityList() {
  listed_objects = nullptr;
}

} // namespace lacuna::python
