#include <filesystem>
#include <utility>

#include <fmt/format.h>

#include "argument_rows.hpp"
#include "checkpoint.hpp"
#include "command_texts.hpp"
#include "commands.hpp"
#include "console.hpp"
#include "lacuna/core/errors.hpp"
#include "lacuna/pipeline/documents.hpp"
#include "lacuna/report/report.hpp"
#include "output.hpp"
#include "stack_text.hpp"
#include "text.hpp"

namespace lacuna::cli {

namespace {

struct FitArguments : FitRequest, FitFiles {
  std::string output;
  std::string json;
  std::string report;
};

std::string convergence(const FitSummary& summary) {
  std::vector<std::string> stopped;
  bool is_sampled = false;
  for (const DensityRecord& density : summary.densities) {
    if (density.stop_reason == StopReason::sampled)
      is_sampled = true;
    else if (density.stop_reason != StopReason::converged)
      stopped.push_back(density.name + ": " + to_string(density.stop_reason));
  }
  const auto n = static_cast<Index>(summary.densities.size());
  if (!stopped.empty())
    return fmt::format("{} of {} stopped early ({})", grouped(static_cast<Index>(stopped.size())),
                       counted(n, "density fit"), listed(stopped, 4));
  if (summary.stop_reason != StopReason::converged) return to_string(summary.stop_reason);
  // A chain does not converge to a fit; how well it has mixed is among the measures of `lacuna info`.
  if (is_sampled) return fmt::format("{} sampled", counted(n, "density fit"));
  return n == 1 ? "the density fit converged" : fmt::format("all {} converged", counted(n, "density fit"));
}

std::string summary_text(const Model& model, double seconds) {
  const FitSummary& summary = model.record.summary;
  std::vector<std::string> classes;
  for (std::size_t y = 0; y < model.record.classes.size(); ++y)
    classes.push_back(model.record.classes[y] + " " + grouped(summary.class_counts[y]));
  std::string text;
  const auto line = [&](const std::string& name, const std::string& value) {
    text += fmt::format("{:<14}{}\n", name, value);
  };
  line("method", model.record.option("method"));
  line("rows", grouped(summary.n_labeled) + " labeled, " + grouped(summary.n_unlabeled) + " unlabeled");
  if (summary.n_kept_unlabeled > 0)
    line("memory", fmt::format("{}: {} of the unlabeled rows stayed in it, all passed by",
                               model.record.option("memory"), grouped(summary.n_kept_unlabeled)));
  line("classes", listed(classes, 20));
  line("informative",
       fmt::format("{:.1f} % of the unlabeled rows ({}), log ratio above kappa = {:.4g}{}",
                   100.0 * summary.informative_share, grouped(summary.n_informative), summary.kappa,
                   summary.kappa_asked < summary.kappa
                       ? fmt::format(" (auto asked for {:.4g})", summary.kappa_asked)
                       : ""));
  line("w", fmt::format("{:.4f}", summary.informative_weight));
  for (const auto& [name, value] : stack_lines(summary.stack)) line(name, value);
  if (summary.shrinkage > 0.0)
    line("shrinkage", fmt::format("{:.3f} of every class density is common to all", summary.shrinkage));
  // Not every method draws, and one draw moves nothing.
  const auto n_draws = static_cast<Index>(model.classifier.parts().draws.size());
  if (n_draws > 1)
    line("draws", fmt::format("{}, which move the error probability by {:.4f}", grouped(n_draws),
                              summary.draw_spread));
  line("convergence", convergence(summary));
  line("time", fmt::format("{:.2f} s", seconds));
  return text;
}

void fit(const FitArguments& arguments) {
  if (arguments.output == "-") {
    ErrorParts parts;
    parts.option = "output";
    parts.found = "'-'";
    parts.expected = "a file name: a model is not text";
    throw Error(ErrorKind::usage, std::move(parts));
  }
  FitRequest request = arguments;
  const Checkpoint checkpoint(request, checkpoint_beside(arguments.output));
  keep_apart(fit_inputs(arguments), {{mention("output"), arguments.output},
                                     {mention("json"), arguments.json},
                                     {mention("report"), arguments.report},
                                     checkpoint_file(request)});
  Output output(arguments.output, arguments.force);
  Output json(arguments.json, arguments.force);
  Output report(arguments.report, arguments.force);

  ConsoleObserver observer;
  const Model model = fit_table(request, observer);
  observer.finish();
  for (const std::string& note : model.record.notes) tell("note: " + note);
  const std::vector<char> bytes = encode_model(model);
  output.write({bytes.data(), bytes.size()});
  const double seconds = observer.seconds();
  json.write(fit_json(model, seconds));
  if (report.is_wanted())
    report.write(report_page(model, std::filesystem::path(arguments.path).filename().string()));
  commit_together({&output, &json, &report});
  checkpoint.remove();
  print_beside({&json, &report}, summary_text(model, seconds));
}

} // namespace

Command fit_command() {
  return make_command<FitArguments>(
      texts::fit,
      {.positionals = {train_row<FitArguments>()},
       .options = {output_row(&FitArguments::output, "MODEL", "The model file to write"),
                   config_row<FitArguments>(),
                   json_row(&FitArguments::json, "Write the record of the fit as JSON (- for stdout)"),
                   report_row(&FitArguments::report, report_help),
                   force_row<FitArguments>(&FitArguments::force)},
       .required = {"path", "output"}},
      fit);
}

} // namespace lacuna::cli
