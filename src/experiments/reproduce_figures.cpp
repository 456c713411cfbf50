#include <algorithm>
#include <filesystem>
#include <iterator>

#include <fmt/format.h>

#include "core/index.hpp"
#include "data/table_copy.hpp"
#include "experiments/folders.hpp"
#include "experiments/reproduce_run.hpp"
#include "experiments/simulate.hpp"

namespace lacuna {

namespace {

constexpr Index grid_size = 100;

std::string header(const Dataset& data, const std::string& more) {
  std::string line;
  for (const std::string& name : data.feature_names) line += name + ",";
  return line + more;
}

void append_features(std::string& text, const Matrix& rows, Index i) {
  for (Index j = 0; j < rows.n_cols(); ++j) fmt::format_to(std::back_inserter(text), "{},", rows(i, j));
}

void append_scores(std::string& text, const Scores& scores, Index i, const Dataset& data) {
  fmt::format_to(std::back_inserter(text), "{},{},{},{}",
                 csv_cell(data.class_names[at(scores.prediction[at(i)])]), scores.error_probability[at(i)],
                 scores.log_ratio[at(i)], scores.informative[at(i)] ? 1 : 0);
}

const char* const score_columns = "prediction,error_probability,log_ratio,informative";

/// The test rows: where they lie, what they are, what was said about them.
std::string test_text(const Trial& trial, const Scores& scores) {
  std::string text = header(trial.test, std::string("class,stratum,") + score_columns + "\n");
  for (Index i = 0; i < trial.test.n_rows(); ++i) {
    append_features(text, trial.test.features, i);
    fmt::format_to(std::back_inserter(text), "{},{},",
                   csv_cell(trial.test.class_names[at(trial.test.labels[at(i)])]),
                   stratum_name(trial.test_is_rare[at(i)] != 0));
    append_scores(text, scores, i, trial.test);
    text += '\n';
  }
  return text;
}

/// Centres of the cells of a grid over the training rows, lowest second feature first.
Matrix grid_over(const Matrix& rows) {
  double low[2];
  double high[2];
  for (Index j = 0; j < 2; ++j) {
    low[j] = high[j] = rows(0, j);
    for (Index i = 1; i < rows.n_rows(); ++i) {
      low[j] = std::min(low[j], rows(i, j));
      high[j] = std::max(high[j], rows(i, j));
    }
  }
  const auto centre = [&](Index j, Index cell) {
    const double margin = 0.05 * (high[j] - low[j]);
    const double share = (static_cast<double>(cell) + 0.5) / static_cast<double>(grid_size);
    return low[j] - margin + share * (high[j] - low[j] + 2.0 * margin);
  };
  Matrix grid(grid_size * grid_size, 2);
  for (Index i = 0; i < grid.n_rows(); ++i) {
    grid(i, 0) = centre(0, i % grid_size);
    grid(i, 1) = centre(1, i / grid_size);
  }
  return grid;
}

std::string map_text(const Trial& trial, const Model& model, int threads) {
  const Matrix grid = grid_over(trial.train.features);
  const Scores scores = model.score(grid.view(), {.threads = threads});
  std::string text = header(trial.train, score_columns);
  for (const std::string& name : trial.train.class_names)
    text += fmt::format(",{}", csv_cell(fmt::format("p_{}", name)));
  text += '\n';
  for (Index i = 0; i < grid.n_rows(); ++i) {
    append_features(text, grid, i);
    append_scores(text, scores, i, trial.train);
    for (Index y = 0; y < scores.posterior.n_cols(); ++y)
      fmt::format_to(std::back_inserter(text), ",{}", scores.posterior(i, y));
    text += '\n';
  }
  return text;
}

} // namespace

void write_points(const std::string& path, const Trial& trial) {
  const Dataset& data = trial.train;
  const auto name = [&](int label) { return csv_cell(data.class_names[static_cast<std::size_t>(label)]); };
  std::string text = header(data, trial.classes.empty() ? "label,weight\n" : "label,weight,class\n");
  for (Index i = 0; i < data.n_rows(); ++i) {
    append_features(text, data.features, i);
    fmt::format_to(std::back_inserter(text), "{},{}", data.is_labeled(i) ? name(data.labels[at(i)]) : "",
                   data.weight(i));
    if (!trial.classes.empty()) text += fmt::format(",{}", name(trial.classes[at(i)]));
    text += '\n';
  }
  replace_file(path, text);
}

void write_run_figures(const std::string& folder, const std::string& base, const Trial& trial,
                       const RunResult& result, int threads) {
  const auto path = [&](const char* what) {
    return (std::filesystem::path(folder) / fmt::format("{}{}-{}-{}.csv", base, what, result.contender.preset,
                                                        to_string(result.contender.method)))
        .string();
  };
  replace_file(path("test"),
               test_text(trial, result.model.score(trial.test.features.view(), {.threads = threads})));
  if (trial.train.n_features() == 2) replace_file(path("map"), map_text(trial, result.model, threads));
}

} // namespace lacuna
