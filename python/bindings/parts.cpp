#include <memory>
#include <optional>

#include <pybind11/stl.h>

#include "arrays.hpp"
#include "bindings.hpp"
#include "lacuna/pipeline/fit.hpp"
#include "options.hpp"
#include "pipeline/remote_table.hpp"
#include "work.hpp"

// A table whose rows lie in parts on other machines: what lacuna.distributed calls.

namespace lacuna::python {

namespace {

using Numbering = py::array_t<std::int64_t, py::array::c_style>;

std::vector<Index> indices(const Numbering& array) {
  return {array.data(), array.data() + array.size()};
}

/// `ask(kind, question)` gives what count_part made of every part, in the order of the parts.
std::unique_ptr<RemoteTable> make_table(Index n_rows, const Numbering& kept, const Numbering& labeled,
                                        py::object ask) {
  const auto ask_parts = [ask = std::move(ask)](const std::string& kind, std::string_view question,
                                                const std::function<void(std::string_view)>& take,
                                                const Observer& observer) {
    const py::gil_scoped_acquire acquire;
    const PythonRun run(&observer);
    for (const py::handle counts : ask(kind, py::bytes(question.data(), question.size())))
      take(counts.cast<std::string_view>());
  };
  return std::make_unique<RemoteTable>(n_rows, indices(kept), indices(labeled), ask_parts);
}

py::bytes count(const std::string& question, const Numbers& features, Index first, const Numbering& labeled,
                Index n_labeled_before) {
  const TablePart part{matrix_view(features),
                       first,
                       {labeled.data(), static_cast<std::size_t>(labeled.size())},
                       n_labeled_before};
  std::vector<char> counts;
  {
    const py::gil_scoped_release release;
    counts = count_part(question, part);
  }
  return {counts.data(), counts.size()};
}

/// Numbers of the rows that a fit by these options keeps in memory.
py::array_t<std::int64_t> kept_rows(const OptionTexts& options, Index n_rows, const Numbering& labeled,
                                    Index n_features) {
  const FitPlan plan(make_request(options));
  std::vector<Index> kept;
  run_work(py::none(), [&](Observer& observer) {
    kept = plan.kept_rows(n_rows, indices(labeled), n_features, observer);
  });
  return to_array<std::int64_t>({kept.begin(), kept.end()});
}

} // namespace

void bind_parts(py::module_& module) {
  py::class_<RemoteTable>(module, "RemoteTable")
      .def(py::init(&make_table), py::arg("n_rows"), py::arg("kept"), py::arg("labeled"), py::arg("ask"));
  module.def("count_part", count, py::arg("question"), py::arg("features").noconvert(), py::arg("first"),
             py::arg("labeled").noconvert(), py::arg("n_labeled_before"));
  module.def("kept_rows", kept_rows, py::arg("options"), py::arg("n_rows"), py::arg("labeled").noconvert(),
             py::arg("n_features"));
}

} // namespace lacuna::python
