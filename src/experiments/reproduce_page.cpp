#include "experiments/reproduce_page.hpp"

#include <algorithm>
#include <cmath>
#include <deque>
#include <filesystem>
#include <fstream>
#include <limits>
#include <memory>
#include <sstream>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/index.hpp"
#include "experiments/reproduce_setup.hpp"
#include "experiments/simulate.hpp"
#include "lacuna/core/errors.hpp"
#include "lacuna/data/table.hpp"
#include "pipeline/tables.hpp"
#include "report/page.hpp"
#include "report/page_subject.hpp"

namespace lacuna {

namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr Index max_field_classes = 12;

Json read_json(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  Json document = Json::parse(file, nullptr, false);
  if (document.is_discarded())
    throw Error(ErrorKind::data,
                "'" + path.string() + "' is not what a run wrote; remove the folder and begin anew");
  return document;
}

/// A number of a run; infinity is a word there.
double number(const Json& value) {
  if (value.is_number()) return value.get<double>();
  return value == "infinity" ? std::numeric_limits<double>::infinity() : nan;
}

Metrics metrics_of(const Json& run) {
  Metrics metrics;
  metrics.n = run.at("n").get<Index>();
  for (const NamedMetric& metric : named_metrics) metrics.*metric.value = number(run.at(metric.name));
  return metrics;
}

std::vector<std::string> header_of(const fs::path& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  std::vector<std::string> names;
  std::stringstream cells(line);
  for (std::string name; std::getline(cells, name, ',');) names.push_back(name);
  return names;
}

/// Columns of one of the CSV files: some numbers and, one-hot encoded, the prediction.
TableSchema schema_of(const std::vector<std::string>& numbers, const std::vector<std::string>& classes) {
  TableSchema schema;
  for (const std::string& name : numbers) schema.columns.push_back({name, false, {}});
  if (classes.empty()) return schema;
  schema.columns.push_back({"prediction", true, classes});
  std::sort(schema.columns.back().categories.begin(), schema.columns.back().categories.end());
  return schema;
}

class FolderSubject {
public:
  FolderSubject(const ReproduceRequest& request, const Json& runs, std::string toy)
      : figures_(fs::path(request.directory) / "figures"), runs_(runs), toy_(std::move(toy)) {
    input_.name = toy_.empty() ? request.experiment : toy_;
    input_.title = toy_;
    input_.threads = request.threads;
  }

  ReportSubject make() {
    const Json& first = run_of({"default", Method::mar});
    input_.class_names = first.at("metrics").at("model").at("options").at("classes");
    const std::vector<std::string> header = header_of(path("points"));
    input_.feature_names.assign(header.begin(), std::find(header.begin(), header.end(), "label"));
    input_.fit = fit_of(first.at("fit"));
    read_points();
    for (const Contender& contender : contenders()) add(contender);
    return make_subject(input_);
  }

private:
  std::string path(const std::string& what) const {
    return (figures_ / fmt::format("{}{}.csv", toy_.empty() ? "" : toy_ + "-", what)).string();
  }

  /// The first repeat of a contender.
  const Json& run_of(const Contender& contender) const {
    for (const Json& run : runs_)
      if (run.value("toy", "") == toy_ && run.at("preset") == contender.preset &&
          run.at("method") == to_string(contender.method) && run.at("vae_seed") == 0 && run.at("repeat") == 0)
        return run;
    throw Error(ErrorKind::internal, "there is no run of " + to_string(contender.method));
  }

  static FitSummary fit_of(const Json& found) {
    FitSummary fit;
    fit.n_labeled = found.at("n_labeled").get<Index>();
    fit.n_unlabeled = found.at("n_unlabeled").get<Index>();
    fit.n_informative = found.at("n_informative").get<Index>();
    fit.kappa = number(found.at("kappa"));
    for (const auto& [name, count] : found.at("class_counts").items())
      fit.class_counts.push_back(count.get<Index>());
    return fit;
  }

  int class_number(const std::string& name) const {
    const auto found = std::find(input_.class_names.begin(), input_.class_names.end(), name);
    return found == input_.class_names.end() ? missing_label
                                             : static_cast<int>(found - input_.class_names.begin());
  }

  void read_points() {
    const auto d = static_cast<Index>(input_.feature_names.size());
    train_ = std::make_unique<PageRows>(PageRows::Kind::train, 0, d);
    TableOptions options;
    options.label = "label";
    TableReader reader(path("points"), schema_of(input_.feature_names, {}), options, input_.class_names);
    for_each_block(reader, silent_observer(), [&](const TableBlock& block) {
      for (Index i = 0; i < block.features.n_rows(); ++i)
        train_->add(nullptr, block.features.row(i), block.labels[at(i)], nan);
    });
    input_.train = train_.get();
  }

  /// The place of the one among the one-hot features from `first` on, as a class number.
  int prediction_at(const Matrix& rows, Index row, Index first) const {
    std::vector<std::string> sorted = input_.class_names;
    std::sort(sorted.begin(), sorted.end());
    for (std::size_t k = 0; k < sorted.size(); ++k)
      if (rows(row, first + static_cast<Index>(k)) > 0.5) return class_number(sorted[k]);
    return 0;
  }

  void add(const Contender& contender) {
    const std::string name = fmt::format("{}-{}", contender.preset, to_string(contender.method));
    const Json& metrics = run_of(contender).at("metrics");
    PageMethod method;
    method.name = to_string(contender.method);
    method.group = contender.preset == "paper" ? "the paper's settings" : "lacuna's defaults";
    method.evaluation.overall = metrics_of(metrics);
    for (const auto& [stratum, found] : metrics.at("strata").items())
      method.evaluation.strata[stratum] = metrics_of(found);
    const bool is_region_maker = contender.preset == "default" && contender.method == Method::mar;
    method.scored = &scored_.emplace_back(read_test(path("test-" + name), is_region_maker));
    method.diagnostics = diagnostics_of(*method.scored);
    if (input_.feature_names.size() == 2) method.field = read_field(path("map-" + name));
    input_.methods.push_back(std::move(method));
  }

  ScoredRows read_test(const std::string& file, bool keeps_rows) {
    const auto d = static_cast<Index>(input_.feature_names.size());
    std::vector<std::string> numbers = input_.feature_names;
    numbers.insert(numbers.end(), {"error_probability", "log_ratio"});
    TableOptions options;
    options.label = "class";
    TableReader reader(file, schema_of(numbers, input_.class_names), options, input_.class_names,
                       stratum_column);
    if (keeps_rows) test_ = std::make_unique<PageRows>(PageRows::Kind::test, 0, d);
    ScoredRows rows;
    rows.stratum_names = {stratum_name(true), stratum_name(false)};
    for_each_block(reader, silent_observer(), [&](const TableBlock& block) {
      for (Index i = 0; i < block.features.n_rows(); ++i) {
        rows.label.push_back(block.labels[at(i)]);
        rows.prediction.push_back(prediction_at(block.features, i, d + 2));
        rows.error_probability.push_back(block.features(i, d));
        rows.stratum.push_back(block.strata[at(i)] == stratum_name(true) ? 0 : 1);
        if (keeps_rows)
          test_->add(nullptr, block.features.row(i), rows.label.back(), block.features(i, d + 1));
      }
    });
    if (keeps_rows) input_.test = test_.get();
    return rows;
  }

  Diagnostics diagnostics_of(const ScoredRows& rows) const {
    const std::vector<ErrorGroup> groups = error_groups(rows);
    Diagnostics diagnostics;
    diagnostics.reliability = reliability_curve(rows, BinKind::equal_width, n_reliability_bins);
    diagnostics.risk_coverage = risk_coverage(groups);
    diagnostics.classwise_calibration_error = nan; // the files do not hold the probabilities it needs
    diagnostics.confusion_matrix = ConfusionMatrix(static_cast<Index>(input_.class_names.size()));
    for (Index i = 0; i < rows.n_rows(); ++i)
      diagnostics.confusion_matrix.add(rows.label[at(i)], rows.prediction[at(i)]);
    return diagnostics;
  }

  /// The cells of a grid, and with them the range of the plane.
  ReportField read_field(const std::string& file) {
    std::vector<std::string> numbers = input_.feature_names;
    numbers.emplace_back("error_probability");
    const Index n_shown = std::min(static_cast<Index>(input_.class_names.size()), max_field_classes);
    ReportField field;
    for (Index y = 0; y < n_shown; ++y) {
      numbers.push_back("p_" + input_.class_names[at(y)]);
      field.classes.push_back(static_cast<int>(y));
    }
    field.probability.resize(at(n_shown));
    ReportPlane& range = input_.range.emplace();
    range.x_low = range.y_low = std::numeric_limits<double>::infinity();
    range.x_high = range.y_high = -range.x_low;
    TableReader reader(file, schema_of(numbers, input_.class_names), {}, {});
    for_each_block(reader, silent_observer(), [&](const TableBlock& block) {
      for (Index i = 0; i < block.features.n_rows(); ++i) {
        const double* const row = block.features.row(i);
        range.x_low = std::min(range.x_low, row[0]);
        range.x_high = std::max(range.x_high, row[0]);
        range.y_low = std::min(range.y_low, row[1]);
        range.y_high = std::max(range.y_high, row[1]);
        field.error_probability.push_back(row[2]);
        for (Index y = 0; y < n_shown; ++y) field.probability[at(y)].push_back(row[3 + y]);
        field.prediction.push_back(prediction_at(block.features, i, 3 + n_shown));
      }
    });
    const auto side =
        static_cast<Index>(std::lround(std::sqrt(static_cast<double>(field.prediction.size()))));
    field.n_columns = field.n_rows = side;
    // From the centres of the outer cells to their edges.
    const double half_x = 0.5 * (range.x_high - range.x_low) / static_cast<double>(side - 1);
    const double half_y = 0.5 * (range.y_high - range.y_low) / static_cast<double>(side - 1);
    range.x_low -= half_x;
    range.x_high += half_x;
    range.y_low -= half_y;
    range.y_high += half_y;
    return field;
  }

  fs::path figures_;
  const Json& runs_;
  std::string toy_;
  PageInput input_;
  std::unique_ptr<PageRows> train_;
  std::unique_ptr<PageRows> test_;
  std::deque<ScoredRows> scored_; ///< a deque, because the methods point into it
};

std::string spread_text(const Spread& spread) {
  return fmt::format("{:.3f} ± {:.3f}", spread.mean, spread.deviation);
}

void add_means(ReportSubject& subject, const ReproduceOutcome& outcome, const std::string& toy) {
  for (const ReproduceSummary& row : outcome.summaries) {
    if (row.toy != toy || row.n_runs < 2) continue;
    subject.words.push_back(
        {fmt::format("{} ({}), mean of {} runs", row.method,
                     row.preset == "paper" ? "the paper's settings" : "lacuna's defaults", row.n_runs),
         fmt::format("error_rate {}, ece {}, brier_error {}; in the rarely labeled region error_rate {}, "
                     "overconfidence {}.",
                     spread_text(row.error_rate), spread_text(row.ece), spread_text(row.brier_error),
                     spread_text(row.rare_error_rate), spread_text(row.rare_overconfidence))});
  }
}

} // namespace

std::string reproduce_page(const ReproduceRequest& request, const ReproduceOutcome& outcome) {
  const Json runs = read_json(outcome.metrics_path).at("runs");
  ReportPage page;
  page.title = "The paper's experiment: " + request.experiment;
  const Index n_repeats = request.n_repeats * (is_toy(request) ? 1 : request.n_vae_seeds);
  page.subtitle =
      fmt::format("Protocol {}, seed {}. The figures show {} under two settings: the paper's, and "
                  "lacuna's defaults.",
                  to_string(request.protocol), request.seed,
                  n_repeats == 1 ? "one repeat" : fmt::format("the first of {} repeats", n_repeats));
  const std::vector<std::string> toys =
      is_toy(request) ? std::vector<std::string>{"quadrants", "coin"} : std::vector<std::string>{""};
  for (const std::string& toy : toys) {
    ReportSubject subject = FolderSubject(request, runs, toy).make();
    subject.stratum_note =
        "Crosses are errors in the rarely labeled region, dots those in the rest; the two add "
        "up to the line.";
    add_means(subject, outcome, toy);
    page.subjects.push_back(std::move(subject));
  }
  page.options = {{"experiment", request.experiment},
                  {"protocol", to_string(request.protocol)},
                  {"repeats", std::to_string(request.n_repeats)},
                  {"vae-seeds", std::to_string(request.n_vae_seeds)},
                  {"seed", std::to_string(request.seed)}};
  page.versions = page_versions();
  return report_html(page);
}

} // namespace lacuna
