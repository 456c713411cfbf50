#include "experiments/reproduce_page.hpp"

#include <fmt/format.h>

#include "lacuna/report/report.hpp"

namespace lacuna {

namespace {

std::string settings_words(const std::string& preset) {
  return preset == "paper" ? "the paper's settings" : "lacuna's defaults";
}

std::string spread_text(const Spread& spread) {
  return fmt::format("{:.3f} ± {:.3f}", spread.mean, spread.deviation);
}

ReportSection section_of(const ReproduceRequest& request, const ReproduceOutcome& outcome,
                         const std::string& toy, const std::vector<RunResult>& runs) {
  ReportSection section;
  section.name = toy.empty() ? request.experiment : toy;
  section.title = toy;
  section.stratum_note =
      "Crosses are errors in the rarely labeled region, dots those in the rest; the two add "
      "up to the line.";
  for (const RunResult& run : runs)
    section.contenders.push_back({.name = to_string(run.contender.method),
                                  .group = settings_words(run.contender.preset),
                                  .outcome = &run.outcome,
                                  .model = &run.model});
  for (const ReproduceSummary& row : outcome.summaries) {
    if (row.toy != toy || row.n_runs < 2) continue;
    section.remarks.emplace_back(
        fmt::format("{} ({}), mean of {} runs", row.method, settings_words(row.preset), row.n_runs),
        fmt::format("error_rate {}, ece {}, brier_error {}; in the rarely labeled region error_rate {}, "
                    "overconfidence {}.",
                    spread_text(row.error_rate), spread_text(row.ece), spread_text(row.brier_error),
                    spread_text(row.rare_error_rate), spread_text(row.rare_overconfidence)));
  }
  return section;
}

} // namespace

std::string reproduce_page(const ReproduceRequest& request, const ReproduceOutcome& outcome,
                           const std::map<std::string, std::vector<RunResult>>& first_repeat) {
  const Index n_repeats = request.repeats * (is_toy(request) ? 1 : request.vae_seeds);
  Report report;
  report.title = "The paper's experiment: " + request.experiment;
  report.subtitle =
      fmt::format("Protocol {}, seed {}. The figures show {} under two settings: the paper's, and "
                  "lacuna's defaults.",
                  to_string(request.protocol), request.seed,
                  n_repeats == 1 ? "one repeat" : fmt::format("the first of {} repeats", n_repeats));
  for (const std::string& toy : subjects_of(request))
    report.sections.push_back(section_of(request, outcome, toy, first_repeat.at(toy)));
  report.options = {{"experiment", request.experiment},
                    {"protocol", to_string(request.protocol)},
                    {"repeats", std::to_string(request.repeats)},
                    {"vae-seeds", std::to_string(request.vae_seeds)},
                    {"seed", std::to_string(request.seed)}};
  report.threads = request.threads;
  return report_page(report);
}

} // namespace lacuna
