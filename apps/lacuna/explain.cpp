#include "lacuna/pipeline/explain.hpp"

#include <fmt/format.h>

#include "argument_rows.hpp"
#include "command_texts.hpp"
#include "commands.hpp"
#include "console.hpp"
#include "lacuna/core/errors.hpp"
#include "lacuna/pipeline/documents.hpp"
#include "output.hpp"
#include "style.hpp"
#include "text.hpp"

namespace lacuna::cli {

namespace {

struct ExplainArguments : ExplainRequest {
  std::string model;
  std::string json;
  bool force = false;
};

std::string four_digits(double value) {
  return fmt::format("{:.4f}", value);
}

std::string columns_table(const Explanation& found) {
  constexpr std::size_t most = 12;
  TextTable table({found.are_columns_mapped ? "feature" : "column", "value", "push", "without it", "alone"});
  for (std::size_t j = 0; j < std::min(most, found.columns.size()); ++j) {
    const ColumnEffect& column = found.columns[j];
    table.add({column.name, column.value, fmt::format("{:+.4f}", column.push), four_digits(column.without),
               four_digits(column.alone)});
  }
  return table.text() +
         (found.columns.size() > most ? fmt::format("and {} more\n", found.columns.size() - most) : "");
}

std::string parts_table(const Explanation& found) {
  TextTable table({"error probability", "how likely", "wrong then", "product"});
  for (const AnswerPart& part : found.anatomy.parts)
    table.add({to_string(part.source), four_digits(part.weight), four_digits(part.error_probability),
               four_digits(part.weight * part.error_probability)});
  table.add({"in all", "", "", four_digits(found.error_probability)});
  return table.text();
}

std::string nearest_table(const std::vector<NearRow>& rows) {
  TextTable table({"nearest labeled rows", "label", "distance", "differs most in"});
  for (const NearRow& row : rows) {
    std::string differences;
    for (const auto& [name, value] : row.differences)
      differences += (differences.empty() ? "" : ", ") + name + " " + value;
    table.add({"row " + std::to_string(row.row + 1), row.label, four_digits(row.distance), differences});
  }
  return table.text();
}

std::string explanation_text(const Explanation& found) {
  constexpr std::size_t width = 80;
  std::string text;
  for (const std::string& sentence : found.words)
    for (const std::string& line : wrapped(with_options(sentence, flag_style), width)) text += line + "\n";
  if (!found.columns.empty()) text += "\n" + columns_table(found);
  text += "\n" + parts_table(found);
  if (found.nearest && !found.nearest->empty()) text += "\n" + nearest_table(*found.nearest);
  return text;
}

void explain(const ExplainArguments& arguments) {
  keep_apart({{"MODEL", arguments.model},
              {"DATA", arguments.path},
              {mention("train"), arguments.train},
              {mention("train_labels"), arguments.train_labels}},
             {{mention("json"), arguments.json}});
  const Model model = load_model(arguments.model);
  Output json(arguments.json, arguments.force);
  ConsoleObserver observer;
  const Explanation found = explain_table(model, arguments, observer);
  observer.finish();
  if (json.is_wanted()) json.write(explanation_json(found));
  commit_together({&json});
  if (json.is_wanted())
    print_beside({&json}, explanation_text(found));
  else
    print(shown(explanation_text(found))); // all that was asked for
}

} // namespace

Command explain_command() {
  using A = ExplainArguments;
  return make_command<A>(
      texts::explain,
      {.positionals = {model_row(&A::model),
                       option<A, std::string>("path", &A::path, "DATA",
                                              "Table with the columns the model was fitted on")},
       .options = joined<A>(
           {rows_of<A, ExplainRequest>(),
            {json_row(&A::json, "Write everything as JSON (- for stdout)"), force_row<A>(&A::force)}}),
       .required = {"model", "path", "row"}},
      explain);
}

} // namespace lacuna::cli
