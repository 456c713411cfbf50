#include <algorithm>
#include <memory>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "commands.hpp"
#include "lacuna/pipeline/model.hpp"
#include "output.hpp"
#include "text.hpp"

namespace lacuna::cli {

namespace {

using Json = nlohmann::ordered_json;

std::string plain(const Json& value) {
  return value.is_string() ? value.get<std::string>() : value.dump();
}

std::string kind_of(const TableColumn& column) {
  if (!column.is_categorical) return "number";
  return "one of " + listed(column.categories, 20) + (column.is_coded ? "" : "; one-hot encoded");
}

std::string columns_text(const TableSchema& schema) {
  std::string text;
  for (const TableColumn& column : schema.columns) text += "  " + column.name + ": " + kind_of(column) + "\n";
  return text;
}

std::string values_text(const Json& object) {
  std::size_t width = 0;
  for (const auto& [name, value] : object.items()) width = std::max(width, name.size());
  std::string text;
  for (const auto& [name, value] : object.items())
    if (!value.is_structured() && !plain(value).empty())
      text += fmt::format("  {:<{}}  {}\n", name, width, plain(value));
  return text;
}

std::string densities_text(const Json& densities) {
  TextTable table({"  density", "rows", "components", "iterations", "stopped", "measures"});
  for (const Json& density : densities) {
    std::string measures;
    if (density.contains("measures")) // models of older versions have none
      for (const auto& [name, value] : density.at("measures").items())
        if (value.is_number())
          measures += fmt::format("{}{} {:.6g}", measures.empty() ? "" : ", ", name, value.get<double>());
    table.add({"  " + plain(density.at("name")), plain(density.at("n_rows")),
               plain(density.at("n_components")), plain(density.at("n_iterations")),
               plain(density.at("stop_reason")), measures});
  }
  return table.text();
}

std::string info_text(const Model& model) {
  const Json record = Json::parse(model.record);
  const Json& summary = record.at("summary");
  std::string text = "lacuna " + plain(record.at("version")) + " model\n\nclasses (labeled rows)\n";
  for (const auto& [name, count] : summary.at("class_counts").items())
    text += "  " + name + ": " + plain(count) + "\n";
  text += fmt::format("\ncolumns ({} features)\n", model.schema.n_features()) + columns_text(model.schema);
  text += "\noptions\n" + values_text(record.at("options"));
  text += "\nfit\n" + values_text(summary);
  text += "\n" + densities_text(summary.at("densities"));
  for (const Json& note : record.at("notes")) text += "\nnote: " + plain(note) + "\n";
  return text;
}

} // namespace

void add_info(CLI::App& app, Command& command) {
  CLI::App& info = add_command(app, "info", "Say what a model file holds", "lacuna info MODEL [--json]",
                               "  lacuna info loans.lacuna\n"
                               "  lacuna info loans.lacuna --json");
  struct Arguments {
    std::string model;
    bool json = false;
  };
  const auto arguments = std::make_shared<Arguments>();
  info.add_option("MODEL", arguments->model, "Model file written by lacuna fit")->required()->type_name("");
  info.add_flag("--json", arguments->json, "Print the whole record as JSON")->group("General");
  info.callback([arguments, &command] {
    command = [arguments] {
      const Model model = load_model(arguments->model);
      print(arguments->json ? model.record + "\n" : info_text(model));
    };
  });
}

} // namespace lacuna::cli
