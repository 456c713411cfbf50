#include "experiments/demo.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <iterator>

#include <fmt/format.h>

#include "core/files.hpp"
#include "experiments/demo_page.hpp"
#include "experiments/toy_figure.hpp"
#include "experiments/toys.hpp"
#include "lacuna/core/errors.hpp"
#include "lacuna/learning/learner.hpp"

namespace lacuna {

namespace {

struct ToyName {
  const char* name;
  const char* title;
};
constexpr std::array<ToyName, 2> toys{
    {{"quadrants", "quadrants: the class is upper or lower, labels were seen in two clouds of four"},
     {"coin", "coin: labels were seen in the outer clouds, in the middle the class is a fair coin"}}};
constexpr std::array methods{Method::supervised, Method::mcar_sampling, Method::mcar_em, Method::mar};
constexpr Index grid_size = 90;

std::string content_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// A second demo finds the files of the first. They are equal, so nothing is lost and nothing to ask about.
void write_file(const std::string& path, const std::string& text, bool overwrite) {
  std::error_code ignored;
  if (std::filesystem::is_regular_file(path, ignored) && content_of(path) == text) return;
  AtomicFile file(path, overwrite);
  file.write(text);
  file.commit();
}

void make_directory(const std::string& path) {
  std::error_code problem;
  std::filesystem::create_directories(path, problem);
  if (!std::filesystem::is_directory(path))
    throw Error(ErrorKind::cannot_write,
                "cannot make the folder '" + path +
                    "': " + (problem ? problem.message() : std::string("a file of that name is in the way")));
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

DemoResult evaluate(const std::string& name, const Toy& toy, Method method,
                    const GenerativeClassifier& classifier, int threads) {
  const Scores scores = classifier.score(toy.test.features.view(), threads);
  ReliabilityAccumulator labeled;
  ReliabilityAccumulator never_labeled;
  for (Index i = 0; i < toy.test.n_rows(); ++i) {
    const auto at = static_cast<std::size_t>(i);
    (toy.never_labeled[at] ? never_labeled : labeled)
        .add(toy.test.labels[at], scores.prediction[at], scores.error_probability[at],
             {scores.posterior.row(i), static_cast<std::size_t>(scores.posterior.n_cols())});
  }
  return {name, method, labeled.metrics(), never_labeled.metrics()};
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

ToyFigureMap map_of(const ToyFigure& figure, Method method, const GenerativeClassifier& classifier,
                    int threads) {
  Matrix centres(grid_size * grid_size, 2);
  const auto at = [](double low, double high, Index i) {
    return low + (high - low) * (static_cast<double>(i) + 0.5) / static_cast<double>(grid_size);
  };
  for (Index row = 0; row < grid_size; ++row) {
    for (Index column = 0; column < grid_size; ++column) {
      centres(row * grid_size + column, 0) = at(figure.x_low, figure.x_high, column);
      centres(row * grid_size + column, 1) = at(figure.y_low, figure.y_high, row);
    }
  }
  const Scores scores = classifier.score(centres.view(), threads);
  ToyFigureMap map{"p(class | x) by " + to_string(method), Matrix(grid_size, grid_size)};
  for (Index i = 0; i < grid_size * grid_size; ++i)
    map.probability(i / grid_size, i % grid_size) = scores.posterior(i, 0);
  return map;
}

void run_toy(const ToyName& which, const DemoRequest& request, DemoOutcome& outcome,
             std::vector<ReportSubject>& subjects, Observer& observer) {
  const std::string name = which.name;
  const Toy toy = make_toy(name, request.seed);
  ToyFigure figure = figure_of_data(which.title, toy.train);
  LearningOptions options;
  options.seed = request.seed;
  options.threads = request.threads;
  ToySubject subject(name, which.title, toy, request.threads);
  const std::vector<FitResult> fits = fit_classifiers(toy.train, options, methods, observer);
  for (std::size_t m = 0; m < fits.size(); ++m) {
    const Method method = methods[m];
    const GenerativeClassifier& classifier = fits[m].classifier;
    outcome.results.push_back(evaluate(name, toy, method, classifier, request.threads));
    if (request.wants_report) subject.add(method, fits[m]);
    if (method == Method::mcar_sampling || method == Method::mar)
      figure.maps.push_back(map_of(figure, method, classifier, request.threads));
  }
  const std::string base = (std::filesystem::path(request.directory) / name).string();
  const auto write = [&](const std::string& path, const std::string& text) {
    write_file(path, text, request.overwrite);
    outcome.files.push_back(path);
  };
  write(base + "-train.csv", table_text(toy.train, nullptr));
  write(base + "-test.csv", table_text(toy.test, &toy.never_labeled));
  write(base + ".svg", toy_figure_svg(figure));
  if (request.wants_report) subjects.push_back(subject.make());
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

DemoOutcome run_demo(const DemoRequest& request, Observer& observer) {
  make_directory(request.directory);
  DemoOutcome outcome;
  std::vector<ReportSubject> subjects;
  double done = 0.0;
  for (const ToyName& toy : toys) {
    run_toy(toy, request, outcome, subjects, observer);
    observer.progress("demo", ++done, static_cast<double>(toys.size()));
  }
  if (request.wants_report) outcome.report = demo_page(std::move(subjects), request.seed);
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
