#include "experiments/reproduce_results.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "lacuna/evaluation/reliability.hpp"

namespace lacuna {

namespace {

using Json = nlohmann::json;

/// A number of the metrics; NaN where the JSON has null or no such stratum. An nll of "infinity", or of null
/// in runs kept from earlier versions, is that of a method that gave a true class probability zero.
double number_at(const Json& metrics, const std::string& name) {
  const auto found = metrics.find(name);
  if (found != metrics.end() && found->is_number()) return found->get<double>();
  const bool is_infinite = name == "nll" && found != metrics.end();
  return is_infinite ? std::numeric_limits<double>::infinity() : std::nan("");
}

double stratum_number(const Json& metrics, const char* stratum, const char* name) {
  const auto found = metrics.at("strata").find(stratum);
  return found != metrics.at("strata").end() ? number_at(*found, name) : std::nan("");
}

struct Group {
  std::string toy;
  std::string preset;
  std::string method;
  std::vector<Json> metrics;
};

std::vector<Group> grouped_by_method(const std::vector<std::string>& runs) {
  std::vector<Group> groups;
  for (const std::string& text : runs) {
    Json run = Json::parse(text);
    const auto name = [&](const char* key) { return run.value(key, std::string()); };
    const auto is_same = [&](const Group& group) {
      return group.toy == name("toy") && group.preset == name("preset") && group.method == name("method");
    };
    auto found = std::find_if(groups.begin(), groups.end(), is_same);
    if (found == groups.end())
      found = groups.insert(groups.end(), {name("toy"), name("preset"), name("method"), {}});
    found->metrics.push_back(std::move(run["metrics"]));
  }
  return groups;
}

template <typename Value>
Spread spread_of(const Group& group, Value value) {
  Spread spread;
  const auto n = static_cast<double>(group.metrics.size());
  for (const Json& metrics : group.metrics) spread.mean += value(metrics) / n;
  if (group.metrics.size() < 2 || !std::isfinite(spread.mean)) return spread;
  double sum = 0.0;
  for (const Json& metrics : group.metrics) sum += std::pow(value(metrics) - spread.mean, 2);
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

double n_errors(const Json& bin) {
  return bin.at("n").get<double>() > 0.0 ? bin.at("n").get<double>() * number_at(bin, "error_rate") : 0.0;
}

PooledBin pool(const Group& group, std::size_t b) {
  PooledBin pooled;
  for (const Json& metrics : group.metrics) {
    const Json& bin = metrics.at("bins").at(b);
    pooled.low = bin.at("low");
    pooled.high = bin.at("high");
    const double n = bin.at("n");
    pooled.n += n;
    if (n > 0.0) pooled.error_probability += n * number_at(bin, "mean_error_probability");
    const Json& strata = metrics.at("strata");
    if (strata.contains("rare")) pooled.rare_errors += n_errors(strata["rare"]["bins"].at(b));
    if (strata.contains("rest")) pooled.rest_errors += n_errors(strata["rest"]["bins"].at(b));
  }
  return pooled;
}

} // namespace

std::string metrics_text(const std::vector<std::string>& runs) {
  std::string text = "{\"runs\": [";
  for (const std::string& run : runs) text += (text.back() == '[' ? "\n" : ",\n") + run;
  return text + "\n]}\n";
}

std::vector<ReproduceSummary> summarize(const std::vector<std::string>& runs) {
  std::vector<ReproduceSummary> summaries;
  for (const Group& group : grouped_by_method(runs)) {
    const auto overall = [&](const char* name) {
      return spread_of(group, [&](const Json& metrics) { return number_at(metrics, name); });
    };
    const auto within = [&](const char* stratum, const char* name) {
      return spread_of(group, [&](const Json& metrics) { return stratum_number(metrics, stratum, name); });
    };
    ReproduceSummary summary;
    summary.toy = group.toy;
    summary.preset = group.preset;
    summary.method = group.method;
    summary.n_runs = static_cast<Index>(group.metrics.size());
    summary.error_rate = overall("error_rate");
    summary.ece = overall("ece");
    summary.brier_error = overall("brier_error");
    summary.nll = overall("nll");
    summary.rare_error_rate = within("rare", "error_rate");
    summary.rare_overconfidence = within("rare", "overconfidence");
    summary.rest_error_rate = within("rest", "error_rate");
    summaries.push_back(std::move(summary));
  }
  return summaries;
}

std::string reliability_text(const std::vector<std::string>& runs) {
  std::string text =
      "toy,preset,method,low,high,n,mean_error_probability,error_rate,rare_contribution,rest_contribution\n";
  for (const Group& group : grouped_by_method(runs)) {
    for (std::size_t b = 0; b < n_reliability_bins; ++b) {
      const PooledBin bin = pool(group, b);
      if (bin.n == 0.0) continue;
      fmt::format_to(std::back_inserter(text), "{},{},{},{},{},{},{},{},{},{}\n", group.toy, group.preset,
                     group.method, bin.low, bin.high, bin.n, bin.error_probability / bin.n,
                     (bin.rare_errors + bin.rest_errors) / bin.n, bin.rare_errors / bin.n,
                     bin.rest_errors / bin.n);
    }
  }
  return text;
}

} // namespace lacuna
