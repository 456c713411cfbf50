#include <algorithm>
#include <charconv>
#include <cmath>
#include <iterator>
#include <system_error>

#include <fmt/format.h>

#include "data/table_copy.hpp"
#include "lacuna/pipeline/predict.hpp"
#include "pipeline/labeled_blocks.hpp"

namespace lacuna {

namespace {

std::string header_line(const std::vector<std::string>& classes) {
  std::string line = "prediction,error_probability,informative,log_ratio";
  for (const std::string& name : classes) {
    line += ',';
    line += csv_cell("p_" + name);
  }
  line += '\n';
  return line;
}

bool is_number(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  double value = 0.0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
  return problem == std::errc() && end == text.data() + text.size() && std::isfinite(value);
}

// A blank or tab before the sign hides it from us, not from every spreadsheet.
std::string without_formula(const std::string& text) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  const bool is_formula =
      first != std::string::npos && std::string_view("=+-@").find(text[first]) != std::string::npos;
  return is_formula && !is_number(text) ? "'" + text : text;
}

// "{}" prints the shortest digits that read back as the same double, in every locale.
void append_row(fmt::memory_buffer& text, const Scores& scores, Index row,
                const std::vector<std::string>& names) {
  const auto i = static_cast<std::size_t>(row);
  auto out = std::back_inserter(text);
  fmt::format_to(out, "{},{},{},{}", names[static_cast<std::size_t>(scores.prediction[i])],
                 scores.error_probability[i], scores.informative[i] ? 1 : 0, scores.log_ratio[i]);
  for (Index y = 0; y < scores.posterior.n_cols(); ++y) fmt::format_to(out, ",{}", scores.posterior(row, y));
  text.push_back('\n');
}

} // namespace

Index predict_table(const Model& model, const std::string& path, const TableOptions& table, int threads,
                    const std::function<void(std::string_view)>& write, Observer& observer, CsvCells cells) {
  const std::vector<std::string>& classes = model.class_names();
  std::vector<std::string> names;
  std::ranges::transform(classes, std::back_inserter(names), [&](const std::string& name) {
    return csv_cell(cells == CsvCells::no_formulas ? without_formula(name) : name);
  });
  TableOptions features_only = table;
  features_only.label.clear();
  features_only.labels.clear();
  TableBlocks blocks(path, model.schema, features_only, classes, "", observer);
  write(header_line(classes));
  Index n_rows = 0;
  fmt::memory_buffer text;
  blocks.for_each(
      [&](const LabeledBlock& block) {
        const Scores scores = model.score(block.columns, {.first_row = block.first_row, .threads = threads});
        text.clear();
        for (Index i = 0; i < block.columns.n_rows; ++i) append_row(text, scores, i, names);
        write({text.data(), text.size()});
        n_rows += block.columns.n_rows;
      },
      observer);
  return n_rows;
}

} // namespace lacuna
