#include "evaluation_text.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "text.hpp"

namespace lacuna::cli {

namespace {

struct MetricsColumn {
  std::string name;
  const Metrics* metrics;
};

std::vector<MetricsColumn> columns_of(const Evaluation& evaluation) {
  std::vector<MetricsColumn> columns{{"all", &evaluation.overall}};
  for (const auto& [name, metrics] : evaluation.strata)
    columns.push_back({name.empty() ? "(empty)" : name, &metrics});
  return columns;
}

std::string metrics_table(const std::vector<MetricsColumn>& columns) {
  std::vector<std::string> header{""};
  std::vector<std::string> counts{"n"};
  for (const MetricsColumn& column : columns) {
    header.push_back(column.name);
    counts.push_back(grouped(column.metrics->n));
  }
  TextTable table(header);
  table.add(counts);
  for (const auto& [name, value] : named_metrics) {
    std::vector<std::string> row{name};
    for (const MetricsColumn& column : columns) row.push_back(fmt::format("{:.4f}", column.metrics->*value));
    table.add(row);
  }
  return table.text();
}

std::string metrics_tables(const Evaluation& evaluation) {
  constexpr std::size_t columns_per_table = 6;
  const std::vector<MetricsColumn> columns = columns_of(evaluation);
  std::string text;
  for (std::size_t first = 0; first < columns.size(); first += columns_per_table) {
    const std::size_t last = std::min(first + columns_per_table, columns.size());
    text += metrics_table({columns.begin() + static_cast<std::ptrdiff_t>(first),
                           columns.begin() + static_cast<std::ptrdiff_t>(last)}) +
            "\n";
  }
  return text;
}

std::string headlines(const Diagnostics& diagnostics) {
  TextTable table({"over all rows", ""});
  const auto add = [&](const char* name, double value) { table.add({name, fmt::format("{:.4f}", value)}); };
  add("miscalibration", diagnostics.corp.miscalibration);
  add("discrimination", diagnostics.corp.discrimination);
  add("uncertainty", diagnostics.corp.uncertainty);
  add("classwise_calibration_error", diagnostics.classwise_calibration_error);
  add("aurc", diagnostics.risk_coverage.aurc);
  add("augrc", diagnostics.risk_coverage.augrc);
  add("coverage_at_5_percent_risk", diagnostics.risk_coverage.coverage_at_5_percent_risk);
  add("risk_at_80_percent_coverage", diagnostics.risk_coverage.risk_at_80_percent_coverage);
  return table.text() + "\n";
}

std::string bins_table(const ReliabilityCurve& curve) {
  constexpr double bar_length = 30.0;
  // Equal parts have round edges; parts with equally many rows may be narrow.
  const int digits = curve.bin_kind == BinKind::equal_width && 100 % curve.n_bins == 0 ? 2 : 4;
  Index largest = 1;
  for (const CurveBin& bin : curve.bins) largest = std::max(largest, bin.n);
  TextTable table({"error probability", "n", "mean", "error rate", "95 % interval"});
  for (const CurveBin& bin : curve.bins) {
    if (bin.n == 0) continue;
    const auto length = static_cast<std::size_t>(
        std::max(1.0, bar_length * static_cast<double>(bin.n) / static_cast<double>(largest)));
    table.add({fmt::format("{:.{}f} to {:.{}f}  {:<30}", bin.low, digits, bin.high, digits,
                           std::string(length, '#')),
               grouped(bin.n), fmt::format("{:.3f}", bin.mean_error_probability),
               fmt::format("{:.3f}", bin.error_rate),
               fmt::format("{:.3f} to {:.3f}", bin.interval.low, bin.interval.high)});
  }
  return table.text();
}

std::string calibration_text(const CalibrationOutcome& calibration, const Evaluation& after) {
  std::string parameters;
  for (const auto& [name, value] : calibration.parameters)
    parameters += fmt::format("{}{} {:.6g}", parameters.empty() ? "" : ", ", name, value);
  TextTable table({"", "overconfidence before", "after", "ece before", "after", "nll before", "after"});
  const std::vector<MetricsColumn> old_columns = columns_of(calibration.before);
  const std::vector<MetricsColumn> new_columns = columns_of(after);
  for (std::size_t i = 0; i < old_columns.size(); ++i) {
    std::vector<std::string> row{old_columns[i].name};
    for (const auto field : {&Metrics::overconfidence, &Metrics::ece, &Metrics::nll})
      for (const auto& columns : {old_columns, new_columns})
        row.push_back(fmt::format("{:.4f}", columns[i].metrics->*field));
    table.add(row);
  }
  return fmt::format("calibrated by {} on {}: {}\n{}\nafter calibration:\n", to_string(calibration.method),
                     counted(calibration.n_rows, "row"), parameters, table.text());
}

} // namespace

std::string evaluation_text(const EvaluateOutcome& outcome) {
  std::string text;
  if (outcome.calibration) text = calibration_text(*outcome.calibration, outcome.evaluation);
  return text + metrics_tables(outcome.evaluation) + headlines(outcome.diagnostics) +
         bins_table(outcome.diagnostics.reliability);
}

} // namespace lacuna::cli
