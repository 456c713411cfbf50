#include <algorithm>

#include <fmt/format.h>

#include "argument_rows.hpp"
#include "command_texts.hpp"
#include "commands.hpp"
#include "lacuna/core/errors.hpp"
#include "lacuna/pipeline/documents.hpp"
#include "output.hpp"
#include "stack_text.hpp"
#include "style.hpp"
#include "text.hpp"

namespace lacuna::cli {

namespace {

struct InfoArguments {
  std::string model;
  bool json = false;
};

std::string classes_text(const FitRecord& record) {
  std::string text;
  for (std::size_t y = 0; y < record.classes.size(); ++y)
    text += fmt::format("  {}: {}\n", shown_name(record.classes[y]), record.summary.class_counts[y]);
  return text;
}

std::string kind_of(const TableColumn& column) {
  if (!column.is_categorical) return "number";
  return "one of " + listed(column.categories, 20) + (column.is_coded ? "" : "; one-hot encoded");
}

std::string columns_text(const TableSchema& schema) {
  std::string text;
  for (const TableColumn& column : schema.columns)
    text += "  " + shown_name(column.name) + ": " + kind_of(column) + "\n";
  return text;
}

/// Names and values, of which empty ones are left out.
std::string values_text(const std::vector<std::pair<std::string, std::string>>& values) {
  std::size_t width = 0;
  for (const auto& [name, value] : values) width = std::max(width, name.size());
  std::string text;
  for (const auto& [name, value] : values)
    if (!value.empty()) text += fmt::format("  {:<{}}  {}\n", name, width, shown_name(value));
  return text;
}

std::string options_text(const FitRecord& record) {
  std::vector<std::pair<std::string, std::string>> values;
  for (const auto& [name, value] : record.options) values.emplace_back(key_style(name), to_string(value));
  return values_text(values);
}

std::string summary_text(const FitSummary& summary) {
  const auto text = [](const auto& value) { return fmt::format("{}", value); };
  return values_text({{"n_labeled", text(summary.n_labeled)},
                      {"n_unlabeled", text(summary.n_unlabeled)},
                      {"kappa", text(summary.kappa)},
                      {"kappa_asked", text(summary.kappa_asked)},
                      {"n_informative", text(summary.n_informative)},
                      {"informative_share", text(summary.informative_share)},
                      {"informative_weight", text(summary.informative_weight)},
                      {"shrinkage", text(summary.shrinkage)},
                      {"draw_spread", text(summary.draw_spread)},
                      {"n_em_iterations", text(summary.n_em_iterations)},
                      {"stop_reason", to_string(summary.stop_reason)}});
}

std::string densities_text(const std::vector<DensityRecord>& densities) {
  TextTable table({"  density", "rows", "components", "iterations", "stopped", "measures"});
  for (const DensityRecord& density : densities) {
    std::string measures;
    for (const auto& [name, value] : density.measures)
      measures += fmt::format("{}{} {:.6g}", measures.empty() ? "" : ", ", name, value);
    table.add({"  " + density.name, std::to_string(density.n_rows), std::to_string(density.n_components),
               std::to_string(density.n_iterations), to_string(density.stop_reason), measures});
  }
  return table.text();
}

std::string info_text(const Model& model) {
  const FitRecord& record = model.record;
  std::string text = "lacuna " + record.version + " model\n\nclasses (labeled rows)\n" + classes_text(record);
  text += fmt::format("\ncolumns ({} features)\n", model.schema.n_features()) + columns_text(model.schema);
  text += "\noptions\n" + options_text(record);
  text += "\nfit\n" + summary_text(record.summary);
  if (const auto lines = stack_lines(record.summary.stack); !lines.empty())
    text += "\nstack and trust\n" + values_text(lines);
  text += "\n" + densities_text(record.summary.densities);
  for (const std::string& note : record.notes) text += "\nnote: " + with_options(note, flag_style) + "\n";
  return text;
}

void info(const InfoArguments& arguments) {
  const Model model = load_model(arguments.model);
  print(arguments.json ? model_json(model) : shown(info_text(model)));
}

} // namespace

Command info_command() {
  return make_command<InfoArguments>(
      texts::info,
      {.positionals = {model_row(&InfoArguments::model)},
       .options =
           {option("json", &InfoArguments::json, "", "Print the whole record as JSON").in_group("General")},
       .required = {"model"}},
      info);
}

} // namespace lacuna::cli
