#include "fit_options.hpp"

#include <algorithm>

#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include "config_file.hpp"
#include "lacuna/core/errors.hpp"

namespace lacuna::cli {

namespace {

using Kind = FitSetting::Kind;
using Texts = std::vector<std::string>;

// "[10]" for the help; nothing where the default is nothing.
std::string default_text(const FitSetting& setting) {
  if (!setting.json || setting.kind != Kind::value) return "";
  std::string value = setting.json(FitRequest{});
  std::erase(value, '"');
  return value.empty() ? "" : " [" + value + "]";
}

Texts command_line_values(const CLI::Option& option, const std::string& name, Kind kind) {
  if (kind != Kind::list) return option.results();
  Texts all;
  for (const std::string& text : option.results())
    for (std::string& part : split_list(name, text)) all.push_back(std::move(part));
  return all;
}

Texts config_values(const ConfigItem& item, Kind kind) {
  if (kind == Kind::list) {
    if (!item.is_array) throw Error(ErrorKind::usage, item.key + ": expected an array: [\"a\", \"b\"]");
  } else if (item.is_array) {
    throw Error(ErrorKind::usage, item.key + ": got an array, expected one value");
  }
  return item.values;
}

} // namespace

FitOptions::FitOptions(CLI::App& app, std::set<std::string> without)
    : without_(std::move(without)), command_("lacuna " + app.get_name()) {
  app.add_option("TRAIN", path_, "Table with missing labels: CSV, NPY or IDX, plain or gzip")
      ->required()
      ->type_name("");
  const auto general = [](const std::string& name, const std::string& value_name, const std::string& help,
                          Kind kind) {
    return FitSetting{name, "General", value_name, help, kind, nullptr, nullptr};
  };
  add(app, general("output", "MODEL", "The model file to write", Kind::value), "-o,--output",
      [](FitArguments& arguments, const Texts& texts) { arguments.output = texts.at(0); });
  for (const FitSetting& setting : fit_settings())
    add(app, setting, "--" + setting.name,
        [&setting](FitArguments& arguments, const Texts& texts) { setting.set(arguments.request, texts); });
  app.add_option("--config", config_, "TOML file with options; those on the command line win over it")
      ->type_name("FILE")
      ->group("General");
  add(app, general("json", "FILE", "Write the record of the fit as JSON (- for stdout)", Kind::value),
      "--json", [](FitArguments& arguments, const Texts& texts) { arguments.json = texts.at(0); });
  add(app, general("force", "", "Replace output files that exist", Kind::flag), "--force",
      [](FitArguments& arguments, const Texts& texts) { arguments.force = texts.at(0) == "true"; });
}

void FitOptions::add(CLI::App& app, const FitSetting& setting, const std::string& flags,
                     std::function<void(FitArguments&, const Texts&)> apply) {
  if (without_.contains(setting.name)) return;
  // A null target: values are taken from the option's own results, where CLI11 keeps them as they were typed.
  CLI::Option* option =
      setting.kind == Kind::flag
          ? app.add_flag(flags, setting.help)
          : app.add_option(flags, CLI::callback_t([](const CLI::results_t&) { return true; }),
                           setting.help + default_text(setting));
  if (setting.kind != Kind::flag) option->type_name(setting.value_name)->type_size(1)->expected(1);
  if (setting.kind == Kind::list) option->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
  option->group(setting.group);
  entries_.push_back({setting, option, std::move(apply)});
}

FitArguments FitOptions::resolve() const {
  const std::vector<ConfigItem> items = config_.empty() ? std::vector<ConfigItem>{} : read_config(config_);
  const auto place = [&](const ConfigItem& item) {
    return "'" + config_ + "', line " + std::to_string(item.line) + ": ";
  };
  for (const ConfigItem& item : items)
    if (std::none_of(entries_.begin(), entries_.end(),
                     [&](const Entry& e) { return e.setting.name == item.key; }))
      throw Error(ErrorKind::config, place(item) + "unknown key '" + item.key +
                                         "'; keys are the options of " + command_ +
                                         " without their dashes, see " + command_ + " --help");
  FitArguments arguments;
  arguments.request.path = path_;
  // Calls `visit` for every entry that the user gave; its errors say where it was given.
  const auto for_each_given = [&](const auto& visit) {
    for (const Entry& entry : entries_) {
      const auto item = std::find_if(items.begin(), items.end(),
                                     [&](const ConfigItem& i) { return i.key == entry.setting.name; });
      if (entry.option->count() == 0 && item == items.end()) continue;
      try {
        visit(entry, item);
      } catch (const Error& error) {
        if (entry.option->count() > 0) throw Error(error.kind(), std::string("--") + error.what());
        throw Error(ErrorKind::config, place(*item) + error.what());
      }
    }
  };
  for_each_given([&](const Entry& entry, const auto& item) {
    const FitSetting& setting = entry.setting;
    entry.apply(arguments, entry.option->count() > 0
                               ? command_line_values(*entry.option, setting.name, setting.kind)
                               : config_values(*item, setting.kind));
  });
  for_each_given([&](const Entry& entry, const auto&) { entry.setting.require_family(arguments.request); });
  return arguments;
}

} // namespace lacuna::cli
