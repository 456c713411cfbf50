#include "experiments/reproduce_results.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/json_depth.hpp"
#include "data/table_copy.hpp"
#include "pipeline/json_parts.hpp"

namespace lacuna {

namespace {

using Json = nlohmann::ordered_json;

/// A number of a run; infinity is a word there. An nll that is null, in runs kept from earlier versions, is
/// that of a method that gave a true class probability zero.
double number_at(const Json& metrics, const char* name) {
  const auto found = metrics.find(name);
  if (found != metrics.end() && found->is_number()) return found->get<double>();
  const bool is_infinite =
      found != metrics.end() && (*found == "infinity" || std::string_view(name) == "nll");
  return is_infinite ? std::numeric_limits<double>::infinity() : std::nan("");
}

Metrics read_metrics(const Json& found) {
  Metrics metrics;
  metrics.n = found.at("n").get_ref<const std::int64_t&>();
  for (const NamedMetric& metric : named_metrics) metrics.*metric.value = number_at(found, metric.name);
  for (std::size_t b = 0; b < metrics.bins.size(); ++b) {
    const Json& bin = found.at("bins").at(b);
    metrics.bins[b] = {bin.at("low").get<double>(), bin.at("high").get<double>(),
                       bin.at("n").get_ref<const std::int64_t&>(), number_at(bin, "mean_error_probability"),
                       number_at(bin, "error_rate")};
  }
  return metrics;
}

struct Group {
  std::string toy;
  std::string preset;
  std::string method;
  std::vector<const Evaluation*> runs;
};

std::vector<Group> grouped_by_method(const std::vector<FinishedRun>& runs) {
  std::vector<Group> groups;
  for (const FinishedRun& run : runs) {
    const auto is_same = [&](const Group& group) {
      return group.toy == run.toy && group.preset == run.preset && group.method == run.method;
    };
    auto found = std::find_if(groups.begin(), groups.end(), is_same);
    if (found == groups.end()) found = groups.insert(groups.end(), {run.toy, run.preset, run.method, {}});
    found->runs.push_back(&run.evaluation);
  }
  return groups;
}

const Metrics* stratum_of(const Evaluation& evaluation, const char* stratum) {
  const auto found = evaluation.strata.find(stratum);
  return found != evaluation.strata.end() ? &found->second : nullptr;
}

template <typename Value>
Spread spread_of(const Group& group, Value value) {
  Spread spread;
  const auto n = static_cast<double>(group.runs.size());
  for (const Evaluation* run : group.runs) spread.mean += value(*run) / n;
  if (group.runs.size() < 2 || !std::isfinite(spread.mean)) return spread;
  double sum = 0.0;
  for (const Evaluation* run : group.runs) sum += std::pow(value(*run) - spread.mean, 2);
  spread.deviation = std::sqrt(sum / (n - 1.0));
  return spread;
}

struct PooledBin {
  double low = 0.0;
  double high = 0.0;
  double n = 0.0;
  double error_probability = 0.0; ///< sum over rows
  double rare_errors = 0.0;
  double rest_errors = 0.0;
};

double n_errors(const Metrics* metrics, std::size_t b) {
  if (metrics == nullptr || metrics->bins[b].n == 0) return 0.0;
  return static_cast<double>(metrics->bins[b].n) * metrics->bins[b].error_rate;
}

PooledBin pool(const Group& group, std::size_t b) {
  PooledBin pooled;
  for (const Evaluation* run : group.runs) {
    const ReliabilityBin& bin = run->overall.bins.at(b);
    pooled.low = bin.low;
    pooled.high = bin.high;
    const auto n = static_cast<double>(bin.n);
    pooled.n += n;
    if (bin.n > 0) pooled.error_probability += n * bin.mean_error_probability;
    pooled.rare_errors += n_errors(stratum_of(*run, "rare"), b);
    pooled.rest_errors += n_errors(stratum_of(*run, "rest"), b);
  }
  return pooled;
}

} // namespace

FinishedRun finished_run(const Subject& subject, Index repeat, const RunResult& result) {
  Json run = Json::object();
  if (!subject.toy.empty()) run["toy"] = subject.toy;
  run["method"] = to_string(result.contender.method);
  run["preset"] = result.contender.preset;
  run["vae_seed"] = subject.vae_seed;
  run["repeat"] = repeat;
  Json metrics = evaluation_object(result.outcome.evaluation);
  metrics["n_unlabeled"] = 0;
  metrics["version"] = result.model.record.version;
  metrics["model"] = model_object(&result.model);
  run["metrics"] = std::move(metrics);
  Json summary = summary_object(result.model.record);
  summary.erase("densities"); // a hundred lines that nobody compares
  run["fit"] = std::move(summary);
  return {subject.toy, result.contender.preset, to_string(result.contender.method), result.outcome.evaluation,
          run.dump()};
}

std::optional<FinishedRun> read_run(const std::string& text) {
  if (nests_too_deeply(text)) return std::nullopt;
  try {
    const Json run = Json::parse(text);
    const Json& metrics = run.at("metrics");
    FinishedRun result{run.value("toy", ""),
                       run.at("preset").get<std::string>(),
                       run.at("method").get<std::string>(),
                       {read_metrics(metrics), {}},
                       text};
    for (const auto& [name, found] : metrics.at("strata").items())
      result.evaluation.strata[name] = read_metrics(found);
    return result;
  } catch (const Json::exception&) {
    return std::nullopt; // damaged: the run is repeated
  }
}

std::string metrics_text(const std::vector<FinishedRun>& runs) {
  std::string text = "{\"runs\": [";
  for (const FinishedRun& run : runs) text += (text.back() == '[' ? "\n" : ",\n") + run.text;
  return text + "\n]}\n";
}

std::vector<ReproduceSummary> summarize(const std::vector<FinishedRun>& runs) {
  std::vector<ReproduceSummary> summaries;
  for (const Group& group : grouped_by_method(runs)) {
    const auto overall = [&](double Metrics::*value) {
      return spread_of(group, [&](const Evaluation& run) { return run.overall.*value; });
    };
    const auto within = [&](const char* stratum, double Metrics::*value) {
      return spread_of(group, [&](const Evaluation& run) {
        const Metrics* const part = stratum_of(run, stratum);
        return part != nullptr ? part->*value : std::nan("");
      });
    };
    ReproduceSummary summary;
    summary.toy = group.toy;
    summary.preset = group.preset;
    summary.method = group.method;
    summary.n_runs = static_cast<Index>(group.runs.size());
    summary.error_rate = overall(&Metrics::error_rate);
    summary.ece = overall(&Metrics::ece);
    summary.brier_error = overall(&Metrics::brier_error);
    summary.nll = overall(&Metrics::nll);
    summary.rare_error_rate = within("rare", &Metrics::error_rate);
    summary.rare_overconfidence = within("rare", &Metrics::overconfidence);
    summary.rest_error_rate = within("rest", &Metrics::error_rate);
    summaries.push_back(std::move(summary));
  }
  return summaries;
}

std::string reliability_text(const std::vector<FinishedRun>& runs) {
  std::string text =
      "toy,preset,method,low,high,n,mean_error_probability,error_rate,rare_contribution,rest_contribution\n";
  for (const Group& group : grouped_by_method(runs)) {
    for (std::size_t b = 0; b < n_reliability_bins; ++b) {
      const PooledBin bin = pool(group, b);
      if (bin.n == 0.0) continue;
      fmt::format_to(std::back_inserter(text), "{},{},{},{},{},{},{},{},{},{}\n",
                     csv_cell_or_nothing(group.toy), csv_cell(group.preset), csv_cell(group.method), bin.low,
                     bin.high, bin.n, bin.error_probability / bin.n,
                     (bin.rare_errors + bin.rest_errors) / bin.n, bin.rare_errors / bin.n,
                     bin.rest_errors / bin.n);
    }
  }
  return text;
}

} // namespace lacuna
