#include "python_density.hpp"

#include <algorithm>
#include <cmath>
#include <mutex>
#include <utility>

#include <pybind11/numpy.h>

#include "arrays.hpp"
#include "lacuna/core/errors.hpp"
#include "lacuna/density/families.hpp"
#include "python_objects.hpp"

namespace lacuna::python {

namespace {

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
    save_object(archive, prefix, *bridge_, *fitted_, "densities", "one of lacuna's own densities");
    archive.put(prefix + "handles_missing_values", handles_missing_values_ ? 1.0 : 0.0);
  }

  std::shared_ptr<py::object> bridge_;
  std::shared_ptr<py::object> fitted_;
  bool handles_missing_values_;
};

std::shared_ptr<const Density> load_python_density(const Archive& archive, const std::string& prefix,
                                                   const DensityFacts& facts) {
  const SavedObject saved = load_object(archive, prefix);
  return std::make_shared<PythonDensity>(saved.bridge, saved.fitted, facts.n_features,
                                         archive.integer(prefix + "handles_missing_values", 0, 1) == 1);
}

} // namespace

void register_python_density() {
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

} // namespace lacuna::python
