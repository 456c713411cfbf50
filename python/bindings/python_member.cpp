#include "python_member.hpp"

#include <algorithm>
#include <cmath>
#include <mutex>
#include <utility>

#include "arrays.hpp"
#include "python_objects.hpp"
#include "work.hpp"

namespace lacuna::python {

namespace {

class PythonConditional : public Conditional {
public:
  PythonConditional(ConditionalFacts facts, std::shared_ptr<py::object> bridge, py::object fitted)
      : Conditional(std::move(facts)), bridge_(std::move(bridge)), fitted_(shared_object(std::move(fitted))) {
  }

  void log_probability(MatrixView rows, std::span<double> out) const override {
    const py::gil_scoped_acquire acquire;
    Numbers copy({rows.n_rows, rows.n_cols}); // the object may keep what it is given
    std::copy_n(rows.data, rows.n_rows * rows.n_cols, copy.mutable_data());
    const auto values = bridge_->attr("probabilities")(*fitted_, copy).cast<Numbers>();
    std::transform(values.data(), values.data() + values.size(), out.begin(),
                   [](double p) { return std::log(p); });
  }

private:
  void save_parts(Archive& archive, const std::string& prefix) const override {
    save_object(archive, prefix, *bridge_, *fitted_, "own members of the stack", "without them");
  }

  std::shared_ptr<py::object> bridge_;
  std::shared_ptr<py::object> fitted_;
};

} // namespace

PythonMember::PythonMember(const py::object& bridge)
    : bridge_(shared_object(bridge)), name_(bridge.attr("name").cast<std::string>()) {}

std::shared_ptr<const Conditional> PythonMember::fit(const DatasetView& data,
                                                     const ConditionalFitContext& context) const {
  if (context.observer != nullptr) stop_if_cancelled(*context.observer);
  std::vector<Index> labeled;
  for (Index i = 0; i < data.n_rows(); ++i)
    if (data.is_labeled(i)) labeled.push_back(i);
  const auto n_rows = static_cast<py::ssize_t>(labeled.size());
  const py::gil_scoped_acquire acquire;
  const PythonRun run(context.observer);
  Numbers features({n_rows, data.n_features()});
  Integers labels(n_rows);
  Numbers weights(n_rows);
  for (py::ssize_t i = 0; i < n_rows; ++i) {
    const Index row = labeled[static_cast<std::size_t>(i)];
    std::copy_n(data.features.row(row), data.n_features(), features.mutable_data(i, 0));
    labels.mutable_at(i) = data.labels[static_cast<std::size_t>(row)];
    weights.mutable_at(i) = data.weight(row);
  }
  py::object fitted = bridge_->attr("fit")(features, labels, weights, context.seed);
  return std::make_shared<PythonConditional>(
      ConditionalFacts{python_family_name, data.n_features(), data.n_classes()}, bridge_, std::move(fitted));
}

void register_python_member() {
  static std::once_flag flag;
  std::call_once(flag, [] {
    register_conditional({python_family_name,
                          [](const Archive& archive, const std::string& prefix,
                             ConditionalFacts facts) -> std::shared_ptr<const Conditional> {
                            const SavedObject saved = load_object(archive, prefix);
                            return std::make_shared<PythonConditional>(std::move(facts), saved.bridge,
                                                                       saved.fitted);
                          }});
  });
}

} // namespace lacuna::python
