#include <algorithm>

#include <pybind11/stl.h>

#include "bindings.hpp"
#include "lacuna/core/errors.hpp"
#include "lacuna/density/families.hpp"
#include "lacuna/pipeline/settings.hpp"
#include "python_density.hpp"
#include "request.hpp"

namespace lacuna::python {

FitRequest make_request(const SettingTexts& given) {
  const std::vector<FitSetting>& all = fit_settings();
  for (const auto& entry : given)
    if (std::none_of(all.begin(), all.end(),
                     [&](const FitSetting& setting) { return setting.name == entry.first; }))
      throw Error(ErrorKind::usage, "--" + entry.first + ": this build of lacuna has no such setting");
  const auto find = [&](const FitSetting& setting) {
    return std::find_if(given.begin(), given.end(),
                        [&](const auto& entry) { return entry.first == setting.name; });
  };
  FitRequest request;
  for (const FitSetting& setting : all) {
    const auto found = find(setting);
    if (found == given.end()) continue;
    if (setting.kind != FitSetting::Kind::list && found->second.size() != 1)
      throw Error(ErrorKind::usage, setting.name + ": expected one value");
    setting.set(request, found->second);
  }
  for (const FitSetting& setting : all)
    if (find(setting) != given.end()) setting.require_family(request);
  return request;
}

namespace {

const char* kind_name(FitSetting::Kind kind) {
  switch (kind) {
  case FitSetting::Kind::flag: return "flag";
  case FitSetting::Kind::list: return "list";
  case FitSetting::Kind::value: break;
  }
  return "value";
}

py::list settings() {
  py::list result;
  for (const FitSetting& setting : fit_settings()) {
    py::dict entry;
    entry["name"] = setting.name;
    entry["group"] = setting.group;
    entry["help"] = setting.help;
    entry["kind"] = kind_name(setting.kind);
    entry["families"] = setting.families;
    entry["default"] = setting.json ? py::cast(setting.json(FitRequest{})) : py::none();
    result.append(entry);
  }
  return result;
}

/// What a preset sets, as JSON by name.
std::vector<std::pair<std::string, std::string>> preset(const std::string& name) {
  const FitRequest usual;
  const FitRequest chosen = make_request({{"preset", {name}}});
  std::vector<std::pair<std::string, std::string>> changed;
  for (const FitSetting& setting : fit_settings())
    if (setting.json && setting.json(chosen) != setting.json(usual))
      changed.emplace_back(setting.name, setting.json(chosen));
  return changed;
}

} // namespace

void bind_settings(py::module_& module) {
  module.def("settings", settings);
  module.def("preset", preset);
  module.def("density_family_names", [] {
    std::vector<std::string> names = density_family_names();
    std::erase(names, python_family_name);
    return names;
  });
  module.def("check_settings",
             [](const SettingTexts& given) { check_options(make_request(given).learning); });
  module.def("takes_codes", [](const SettingTexts& given) { return takes_codes(make_request(given)); });
  module.def("takes_gaps", [](const SettingTexts& given) { return takes_gaps(make_request(given)); });
}

} // namespace lacuna::python
