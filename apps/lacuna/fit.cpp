#include <algorithm>
#include <filesystem>
#include <memory>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <fmt/format.h>

#include "commands.hpp"
#include "console.hpp"
#include "fit_options.hpp"
#include "lacuna/core/errors.hpp"
#include "lacuna/pipeline/workflows.hpp"
#include "output.hpp"
#include "text.hpp"

namespace lacuna::cli {

namespace {

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

std::string summary_text(const FitOutcome& outcome, const LearningOptions& options, double seconds) {
  const FitSummary& summary = outcome.summary;
  const std::vector<std::string>& names = outcome.model.classifier.parts().class_names;
  std::vector<std::string> classes;
  for (std::size_t y = 0; y < names.size(); ++y)
    classes.push_back(names[y] + " " + grouped(summary.class_counts[y]));
  std::string text;
  const auto line = [&](const std::string& name, const std::string& value) {
    text += fmt::format("{:<14}{}\n", name, value);
  };
  line("method", to_string(options.method));
  line("rows", grouped(summary.n_labeled) + " labeled, " + grouped(summary.n_unlabeled) + " unlabeled");
  line("classes", listed(classes, 20));
  line("informative",
       fmt::format("{:.1f} % of the unlabeled rows ({}), log ratio above kappa = {:.4g}",
                   100.0 * summary.informative_share, grouped(summary.n_informative), summary.kappa));
  line("w", fmt::format("{:.4f}", summary.informative_weight));
  // Not every method draws, and one draw moves nothing.
  const auto n_draws = static_cast<Index>(outcome.model.classifier.parts().draws.size());
  if (n_draws > 1)
    line("draws", fmt::format("{}, which move the error probability by {:.4f}", grouped(n_draws),
                              summary.draw_spread));
  line("convergence", convergence(summary));
  line("time", fmt::format("{:.2f} s", seconds));
  return text;
}

bool trains_network(const FitRequest& request) {
  const auto is_vae = [](const FeatureSpec& map) { return map.kind == FeatureSpec::Kind::vae; };
  return std::any_of(request.features.maps.begin(), request.features.maps.end(), is_vae);
}

void run(const FitOptions& options) {
  FitArguments arguments = options.resolve();
  if (arguments.output.empty())
    throw Error(ErrorKind::usage, "where should the model go? Give -o MODEL; see lacuna fit --help");
  if (arguments.output == "-")
    throw Error(ErrorKind::usage, "-o -: a model is not text and goes to a file; give -o MODEL");
  const std::vector<std::string> inputs{arguments.request.path, arguments.request.table.labels};
  Output model(arguments.output, arguments.force, inputs);
  const std::unique_ptr<Output> json = open_optional(arguments.json, arguments.force, inputs);

  // Beside the model until it is there, unless the user wants to keep it.
  std::string& checkpoint = arguments.request.features.vae.checkpoint;
  const bool keeps_checkpoint = !checkpoint.empty();
  if (!keeps_checkpoint) checkpoint = arguments.output + ".checkpoint";

  ConsoleObserver observer;
  const FitOutcome outcome = fit_table(arguments.request, observer);
  observer.finish();
  for (const std::string& note : outcome.notes) say("note: " + note);
  const std::vector<char> bytes = encode_model(outcome.model);
  model.write({bytes.data(), bytes.size()});
  const double seconds = observer.seconds();
  if (json) json->write(fit_json(outcome, seconds));
  model.commit();
  if (json) json->commit();
  std::error_code ignored;
  if (!keeps_checkpoint && trains_network(arguments.request)) std::filesystem::remove(checkpoint, ignored);
  const std::string summary = summary_text(outcome, arguments.request.learning, seconds);
  if (json && json->is_stdout())
    std::fputs(summary.c_str(), stderr);
  else
    print(summary);
}

} // namespace

void add_fit(CLI::App& app, Command& command) {
  CLI::App& fit = add_command(
      app, "fit", "Learn a classifier from a table in which some labels are missing",
      "lacuna fit TRAIN -o MODEL --label COLUMN [OPTIONS]",
      "  lacuna fit loans.csv -o loans.lacuna --label repaid\n"
      "  lacuna fit cells.csv.gz -o cells.lacuna --label type --classes healthy,ill,unclear --seed 7\n"
      "  lacuna fit images.npy -o images.lacuna --labels labels.npy --method mcar-em\n"
      "  lacuna fit loans.csv -o loans.lacuna --label repaid --config run.toml --json fit.json\n"
      "  lacuna fit images.idx3.gz -o digits.lacuna --labels digits.csv --features vae:2 --vae-epochs 30\n"
      "A configuration file holds the same options, one per line: components = 20, classes = [\"a\", \"b\"]");
  const auto options = std::make_shared<FitOptions>(fit);
  fit.callback([options, &command] { command = [options] { run(*options); }; });
}

} // namespace lacuna::cli
