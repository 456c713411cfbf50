#include "experiments/demo.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <iterator>
#include <memory>

#include <fmt/format.h>

#include "core/common_options.hpp"
#include "core/files.hpp"
#include "experiments/folders.hpp"
#include "experiments/toy_figure.hpp"
#include "experiments/toys.hpp"
#include "lacuna/core/errors.hpp"
#include "lacuna/pipeline/compare.hpp"
#include "lacuna/pipeline/fit.hpp"
#include "lacuna/report/report.hpp"
#include "pipeline/judge.hpp"

namespace lacuna {

namespace {

struct ToyName {
  const char* name;
  const char* title;
};
constexpr std::array<ToyName, 2> toys{
    {{"quadrants", "quadrants: the class is upper or lower, labels were seen in two clouds of four"},
     {"coin", "coin: labels were seen in the outer clouds, in the middle the class is a fair coin"}}};
const std::string seen = "labeled";
const std::string never_seen = "never labeled";
constexpr Index map_size = 90;

// Data and pictures, which appear together when the demo is done.
class DemoFiles {
public:
  explicit DemoFiles(bool overwrite) : overwrite_(overwrite) {}

  // A second demo finds the files of the first. They are equal, so nothing is lost and nothing to ask about.
  void write(const std::string& path, const std::string& text) {
    std::error_code ignored;
    if (std::filesystem::is_regular_file(path, ignored) && content_of(path) == text) return;
    files_.push_back(std::make_unique<AtomicFile>(path, overwrite_));
    files_.back()->write(text);
  }
  void commit_beside(AtomicFile* page) const {
    std::vector<AtomicFile*> files;
    for (const auto& file : files_) files.push_back(file.get());
    if (page != nullptr) files.push_back(page);
    commit_together(files);
  }

private:
  bool overwrite_;
  std::vector<std::unique_ptr<AtomicFile>> files_;
};

std::array<std::string, 3> files_of(const ToyName& toy, const DemoRequest& request) {
  const std::string base = (std::filesystem::path(request.out) / toy.name).string();
  return {base + "-train.csv", base + "-test.csv", base + ".svg"};
}

std::string table_text(const Dataset& data, const std::vector<char>* never_labeled) {
  std::string text = never_labeled ? "x1,x2,label,region\n" : "x1,x2,label\n";
  for (Index i = 0; i < data.n_rows(); ++i) {
    const auto at = static_cast<std::size_t>(i);
    const std::string label =
        data.is_labeled(i) ? data.class_names[static_cast<std::size_t>(data.labels[at])] : "";
    fmt::format_to(std::back_inserter(text), "{},{},{}", data.features(i, 0), data.features(i, 1), label);
    if (never_labeled) text += (*never_labeled)[at] ? ",never labeled" : ",labeled";
    text += '\n';
  }
  return text;
}

ToyFigure figure_of_data(const std::string& title, const Dataset& data) {
  ToyFigure figure;
  figure.title = title;
  figure.class_names = {data.class_names.at(0), data.class_names.at(1)};
  for (Index i = 0; i < data.n_rows(); ++i)
    figure.points.push_back({data.features(i, 0), data.features(i, 1),
                             data.is_labeled(i) ? data.labels[static_cast<std::size_t>(i)] : missing_label});
  const auto by_x = [](const ToyFigurePoint& a, const ToyFigurePoint& b) { return a.x < b.x; };
  const auto by_y = [](const ToyFigurePoint& a, const ToyFigurePoint& b) { return a.y < b.y; };
  const auto [left, right] = std::minmax_element(figure.points.begin(), figure.points.end(), by_x);
  const auto [low, high] = std::minmax_element(figure.points.begin(), figure.points.end(), by_y);
  const double pad_x = 0.05 * (right->x - left->x);
  const double pad_y = 0.05 * (high->y - low->y);
  figure.x_low = left->x - pad_x;
  figure.x_high = right->x + pad_x;
  figure.y_low = low->y - pad_y;
  figure.y_high = high->y + pad_y;
  return figure;
}

ToyFigureMap map_of(const ToyFigure& figure, Method method, const Model& model, int threads) {
  Matrix centres(map_size * map_size, 2);
  const auto at = [](double low, double high, Index i) {
    return low + (high - low) * (static_cast<double>(i) + 0.5) / static_cast<double>(map_size);
  };
  for (Index row = 0; row < map_size; ++row) {
    for (Index column = 0; column < map_size; ++column) {
      centres(row * map_size + column, 0) = at(figure.x_low, figure.x_high, column);
      centres(row * map_size + column, 1) = at(figure.y_low, figure.y_high, row);
    }
  }
  const Scores scores = model.score(centres.view(), {.threads = threads});
  ToyFigureMap map{"p(class | x) by " + to_string(method), Matrix(map_size, map_size)};
  for (Index i = 0; i < map_size * map_size; ++i)
    map.probability(i / map_size, i % map_size) = scores.posterior(i, 0);
  return map;
}

/// All methods on one toy.
struct ToyComparison {
  std::string name;
  std::string title;
  std::vector<Model> models;
  std::vector<EvaluateOutcome> outcomes;
};

ToyComparison compare_on(const ToyName& which, const Toy& toy, const DemoRequest& request,
                         Observer& observer) {
  ToyComparison result{which.name, which.title, {}, {}};
  FitRequest fit;
  fit.seed = request.seed;
  fit.threads = request.threads;
  result.models = FitPlan(fit).fit({all_methods(), toy.train}, observer);
  std::vector<std::string> strata;
  for (const char never : toy.never_labeled) strata.push_back(never ? never_seen : seen);
  std::vector<const Model*> contenders;
  for (const Model& model : result.models) contenders.push_back(&model);
  ModelSource test(contenders,
                   std::make_unique<MemoryBlocks>(toy.test.features.view(), toy.test.labels, strata),
                   request.threads);
  JudgeTask judging;
  judging.sampled = contenders.back();
  result.outcomes = judge(test, judging, observer);
  MemoryBlocks train(toy.train.features.view(), toy.train.labels);
  result.outcomes.back().train_rows = sample_training(*contenders.back(), train, request.threads, observer);
  return result;
}

ToyComparison run_toy(const ToyName& which, const DemoRequest& request, DemoOutcome& outcome,
                      DemoFiles& files, Observer& observer) {
  const Toy toy = make_toy(which.name, request.seed);
  ToyComparison result = compare_on(which, toy, request, observer);
  ToyFigure figure = figure_of_data(which.title, toy.train);
  const std::vector<Method> methods = all_methods();
  for (std::size_t m = 0; m < methods.size(); ++m) {
    const auto& strata = result.outcomes[m].evaluation.strata;
    outcome.results.push_back({which.name, methods[m], strata.at(seen), strata.at(never_seen)});
    if (methods[m] == Method::mcar_sampling || methods[m] == Method::mar)
      figure.maps.push_back(map_of(figure, methods[m], result.models[m], request.threads));
  }
  const auto [train, test, picture] = files_of(which, request);
  files.write(train, table_text(toy.train, nullptr));
  files.write(test, table_text(toy.test, &toy.never_labeled));
  files.write(picture, toy_figure_svg(figure));
  return result;
}

std::string demo_page(const std::vector<ToyComparison>& toys_compared, const DemoRequest& request) {
  Report report;
  report.title = "lacuna on its built-in toys";
  report.subtitle =
      "Four methods with the same densities, on data where the labels never reached a part of the rows. "
      "Only mar, lacuna's method, says that it does not know there.";
  report.options = {{"seed", std::to_string(request.seed)}, {"settings", "the defaults of lacuna fit"}};
  report.threads = request.threads;
  for (const ToyComparison& toy : toys_compared) {
    ReportSection section{.name = toy.name, .title = toy.title, .contenders = {}};
    for (std::size_t m = 0; m < toy.models.size(); ++m)
      section.contenders.push_back({.name = toy.models[m].record.option("method"),
                                    .outcome = &toy.outcomes[m],
                                    .model = &toy.models[m]});
    report.sections.push_back(std::move(section));
  }
  return report_page(report);
}

const DemoResult& result_of(const DemoOutcome& outcome, const std::string& toy, Method method) {
  const auto found =
      std::find_if(outcome.results.begin(), outcome.results.end(),
                   [&](const DemoResult& result) { return result.toy == toy && result.method == method; });
  if (found == outcome.results.end())
    throw Error(ErrorKind::internal, "the demo has no result of " + to_string(method) + " on " + toy);
  return *found;
}

std::string comparison(double mar, double mcar) {
  const double difference = mar - mcar;
  if (std::abs(difference) < 0.01) return "so both are equally overconfident";
  return fmt::format("so mar is {} overconfident ({:.2f} against {:.2f})", difference < 0 ? "less" : "MORE",
                     mar, mcar);
}

} // namespace

const OptionTable<DemoRequest>& DemoRequest::table() {
  using O = DemoRequest;
  static const OptionTable<O> rows{
      option("out", &O::out, "DIR", "Folder for data and pictures").in_group("General"),
      option("seed", &O::seed, "N", "Seed of data and fits").in_group("Run"), threads_option(&O::threads),
      option("force", &O::force, "", "Replace files that differ").in_group("General")};
  return rows;
}

std::vector<std::string> demo_files(const DemoRequest& request) {
  std::vector<std::string> all;
  for (const ToyName& toy : toys)
    for (const std::string& file : files_of(toy, request)) all.push_back(file);
  return all;
}

DemoOutcome run_demo(const DemoRequest& request, Observer& observer) {
  check_options(request);
  make_folder(request.out);
  DemoOutcome outcome;
  outcome.files = demo_files(request);
  DemoFiles files(request.force);
  std::vector<ToyComparison> compared;
  double done = 0.0;
  for (const ToyName& toy : toys) {
    compared.push_back(run_toy(toy, request, outcome, files, observer));
    observer.progress("demo", ++done, static_cast<double>(toys.size()));
  }
  if (request.wants_report) outcome.report = demo_page(compared, request);
  if (request.page != nullptr) request.page->write(outcome.report);
  files.commit_beside(request.page);
  return outcome;
}

std::string demo_verdict(const DemoOutcome& outcome) {
  std::string text;
  for (const auto& [toy, title] : toys) {
    const DemoResult& mar = result_of(outcome, toy, Method::mar);
    const DemoResult& mcar = result_of(outcome, toy, Method::mcar_sampling);
    const DemoResult& supervised = result_of(outcome, toy, Method::supervised);
    fmt::format_to(
        std::back_inserter(text),
        "{}: where no label was ever seen, mcar-sampling is wrong in {:.0f} % of the rows and expects {:.0f} "
        "%, mar is wrong in {:.0f} % and expects {:.0f} %, {}; where labels were seen, mar is wrong in "
        "{:.1f} % and supervised in {:.1f} %.\n",
        toy, 100 * mcar.never_labeled.error_rate, 100 * mcar.never_labeled.mean_error_probability,
        100 * mar.never_labeled.error_rate, 100 * mar.never_labeled.mean_error_probability,
        comparison(mar.never_labeled.overconfidence, mcar.never_labeled.overconfidence),
        100 * mar.labeled.error_rate, 100 * supervised.labeled.error_rate);
  }
  return text;
}

} // namespace lacuna
