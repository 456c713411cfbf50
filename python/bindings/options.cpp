#include "options.hpp"

#include <algorithm>

#include <pybind11/stl.h>

#include "bindings.hpp"
#include "lacuna/density/families.hpp"
#include "lacuna/pipeline/compare.hpp"
#include "lacuna/pipeline/evaluate.hpp"
#include "lacuna/pipeline/fit.hpp"
#include "python_objects.hpp"

namespace lacuna::python {

FitRequest make_request(const OptionTexts& given) {
  std::vector<GivenOption> options;
  for (const auto& [name, texts] : given) options.push_back({name, texts});
  FitRequest request;
  set_options(request, options);
  return request;
}

py::object option_value(const OptionInfo& info, const OptionValue& value) {
  if (info.unset == "0" && to_string(value) == info.unset) return py::none();
  return py::cast(value);
}

Option<VaeOptions> n_latent_row() {
  return option("n_latent", &VaeOptions::n_latent, "N", "Features it makes", {.low = 1, .high = 1000});
}

py::dict option_dict(const std::vector<std::pair<std::string, OptionValue>>& recorded) {
  const OptionTable<FitRequest> rows = fit_options();
  py::dict result;
  for (const auto& [name, value] : recorded) {
    const auto row = std::find_if(rows.begin(), rows.end(),
                                  [&, &wanted = name](const auto& each) { return each.name == wanted; });
    result[py::str(name)] =
        option_value(row != rows.end() ? static_cast<const OptionInfo&>(*row) : OptionInfo{}, value);
  }
  return result;
}

namespace {

const char* kind_name(OptionKind kind) {
  switch (kind) {
  case OptionKind::flag: return "flag";
  case OptionKind::whole: return "whole";
  case OptionKind::number: return "number";
  case OptionKind::choice: return "choice";
  case OptionKind::texts: return "texts";
  case OptionKind::wholes: return "wholes";
  case OptionKind::text: break;
  }
  return "text";
}

std::string in_backticks(std::string_view option) {
  return "`" + std::string(option) + "`";
}

/// Everything there is to know of the options of a struct.
template <class Options>
py::list rows_list(const OptionTable<Options>& rows, const Options& defaults) {
  py::list result;
  for (const Option<Options>& row : rows) {
    py::dict entry;
    entry["name"] = row.name;
    entry["value_name"] = row.value_name;
    entry["help"] = with_options(row.help, in_backticks);
    entry["kind"] = kind_name(row.kind);
    entry["expected"] = with_options(row.expected, in_backticks);
    entry["choices"] = row.choices;
    entry["unset"] = row.unset;
    entry["group"] = with_options(row.group, in_backticks);
    entry["default"] = row.get ? option_value(row, row.get(defaults)) : py::none();
    result.append(entry);
  }
  return result;
}

/// The options of a fit that belong to no family and to no map.
OptionTable<FitRequest> general_rows() {
  OptionTable<FitRequest> rows = fit_options();
  std::erase_if(rows, [](const auto& row) { return !row.families.empty() || !row.feature_map.empty(); });
  return rows;
}

OptionTable<VaeOptions> vae_rows() {
  OptionTable<VaeOptions> rows = VaeOptions::table();
  rows.insert(rows.begin(), n_latent_row());
  return rows;
}

/// The tables that signatures, docstrings and the reference are made from (scripts/generate-options).
py::dict options() {
  py::dict families;
  for (const auto& entry : density_families())
    if (entry->name != python_family_name)
      families[py::str(entry->name)] = rows_list(entry->options, entry->defaults);
  py::dict result;
  result["fit"] = rows_list(general_rows(), FitRequest{});
  result["families"] = families;
  result["vae"] = rows_list(vae_rows(), VaeOptions{});
  result["evaluate"] = rows_list(EvaluateRequest::table(), EvaluateRequest{});
  result["compare"] = rows_list(CompareRequest::table(), CompareRequest{});
  return result;
}

/// What a preset changes.
py::dict preset(const std::string& name) {
  const auto usual = recorded_options(FitRequest{});
  auto changed = recorded_options(make_request({{"preset", {name}}}));
  std::erase_if(changed, [&](const auto& option) {
    return std::find(usual.begin(), usual.end(), option) != usual.end();
  });
  return option_dict(changed);
}

void check(const OptionTexts& given) {
  const FitRequest request = make_request(given);
  OptionChecks checks;
  check_options<LearningOptions>(request, checks);
  check_options<FeatureOptions>(request, checks);
  checks.throw_if_any();
}

} // namespace

void bind_options(py::module_& module) {
  std::vector<std::string> methods;
  for (const Method method : all_methods()) methods.push_back(to_string(method));
  module.attr("methods") = methods;
  module.def("options", options);
  module.def("preset", preset);
  module.def("check_options", check);
  module.def("takes_codes",
             [](const OptionTexts& given) { return FitPlan(make_request(given)).takes_codes(); });
  module.def("takes_gaps",
             [](const OptionTexts& given) { return FitPlan(make_request(given)).takes_gaps(); });
}

} // namespace lacuna::python
