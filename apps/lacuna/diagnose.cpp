#include "lacuna/pipeline/diagnose.hpp"

#include <filesystem>

#include <fmt/format.h>

#include "argument_rows.hpp"
#include "command_texts.hpp"
#include "commands.hpp"
#include "console.hpp"
#include "lacuna/core/errors.hpp"
#include "lacuna/pipeline/documents.hpp"
#include "lacuna/report/report.hpp"
#include "output.hpp"
#include "style.hpp"
#include "text.hpp"

namespace lacuna::cli {

namespace {

struct DiagnoseArguments : FitRequest, FitFiles {
  std::string json;
  std::string report;
};

std::string paragraph(const std::string& title, const std::string& text) {
  constexpr std::size_t width = 100;
  constexpr std::size_t indent = 9;
  std::string paragraph;
  for (const std::string& line : wrapped(shown_name(with_options(text, flag_style)), width - indent))
    paragraph += fmt::format("{:<{}}{}\n", paragraph.empty() ? title : "", indent, line);
  return paragraph;
}

std::string mark(Concern concern) {
  switch (concern) {
  case Concern::warning: return "! ";
  case Concern::note: return "* ";
  case Concern::none: break;
  }
  return "  ";
}

std::string diagnosis_text(const Diagnosis& diagnosis) {
  std::string text;
  for (const Finding& finding : diagnosis.findings) {
    text += mark(finding.concern) + finding.topic + "\n";
    text += paragraph("  found", finding.found) + paragraph("  why", finding.why) +
            paragraph("  try", finding.remedy) + "\n";
    if (finding.topic != "columns") continue;
    for (const LabelingColumn& column : diagnosis.columns) {
      TextTable table({"  " + shown_name(column.name), "rows", "labeled", "share"});
      for (const LabeledPart& part : column.parts)
        table.add({"  " + part.where, grouped(part.n_rows), grouped(part.n_labeled),
                   fmt::format("{:.1f} %", 100.0 * static_cast<double>(part.n_labeled) /
                                               static_cast<double>(part.n_rows))});
      text += table.text() + "\n";
    }
  }
  text.pop_back();
  return text;
}

/// The page, in which options are spelled as flags.
std::string page_of(Diagnosis diagnosis, const std::string& path) {
  for (Finding& finding : diagnosis.findings)
    for (std::string* text : {&finding.found, &finding.why, &finding.remedy})
      *text = with_options(*text, flag_style);
  return report_page(diagnosis, std::filesystem::path(path).filename().string());
}

void diagnose(const DiagnoseArguments& arguments) {
  keep_apart(fit_inputs(arguments),
             {{mention("json"), arguments.json}, {mention("report"), arguments.report}});
  Output json(arguments.json, arguments.force);
  Output report(arguments.report, arguments.force);
  ConsoleObserver observer;
  const Diagnosis diagnosis = diagnose_table(arguments, observer);
  observer.finish();
  if (json.is_wanted()) json.write(diagnosis_json(diagnosis));
  if (report.is_wanted()) report.write(page_of(diagnosis, arguments.path));
  commit_together({&json, &report});
  if (json.is_wanted() || report.is_wanted())
    print_beside({&json, &report}, diagnosis_text(diagnosis));
  else
    print(shown(diagnosis_text(diagnosis))); // all that was asked for
}

} // namespace

Command diagnose_command() {
  using A = DiagnoseArguments;
  return make_command<A>(
      texts::diagnose,
      {.positionals = {train_row<A>()},
       .options = {config_row<A>(), json_row(&A::json, "Write everything as JSON (- for stdout)"),
                   report_row(&A::report, report_help), force_row<A>(&A::force)},
       .required = {"path"}},
      diagnose);
}

} // namespace lacuna::cli
