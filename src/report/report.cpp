#include "lacuna/report/report.hpp"

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

#include "core/index.hpp"
#include "lacuna/core/errors.hpp"
#include "lacuna/core/version.hpp"
#include "lacuna/learning/guarantees.hpp"
#include "pipeline/judge.hpp"
#include "report/page.hpp"
#include "report/page_subject.hpp"
#include "report/words.hpp"

namespace lacuna {

namespace {

const ReportContender* region_contender(const ReportSection& section) {
  const auto& all = section.contenders;
  const auto found = std::find_if(all.rbegin(), all.rend(),
                                  [](const ReportContender& each) { return each.model != nullptr; });
  return found != all.rend() ? &*found : nullptr;
}

/// Whether a point of the page's plane means the same to both models: it is a row of two columns, or of
/// features, which are the same when they are for the rows that are drawn.
bool share_plane(const Model& one, const Model& other, const RowSample* rows) {
  if (&one == &other) return true;
  if (rows == nullptr || one.schema.feature_names() != other.schema.feature_names()) return false;
  if (one.schema.n_features() == 2) return true;
  if (one.features.empty() || other.features.empty()) return one.features.empty() && other.features.empty();
  const Matrix columns = rows->drawn().columns;
  if (columns.n_cols() == 0) return false;
  const MatrixView some = columns.view().middle_rows(0, std::min<Index>(columns.n_rows(), 16));
  const Matrix a = one.features.apply(some, {.threads = 1});
  const Matrix b = other.features.apply(some, {.threads = 1});
  return a.n_cols() == b.n_cols() && std::ranges::equal(a.values(), b.values());
}

/// A model's answers on the plane of its page: see PageMethod::score.
std::function<Scores(MatrixView)> plane_score(const Model& model, int threads) {
  if (!model.schema.levels().empty()) return nullptr; // nothing lies between categories
  if (model.schema.n_features() == 2)
    return [&model, threads](MatrixView rows) { return model.score(rows, {.threads = threads}); };
  return [&model, threads](MatrixView rows) { return model.classifier.score(rows, threads); };
}

std::vector<ReportWords> calibration_words(const EvaluateOutcome& outcome) {
  if (!outcome.calibration) return {};
  const CalibrationOutcome& calibration = *outcome.calibration;
  std::string text = fmt::format("On {} other rows. Overconfidence went from {:.4f} to {:.4f}",
                                 count_words(calibration.n_rows), calibration.before.overall.overconfidence,
                                 outcome.evaluation.overall.overconfidence);
  for (const auto& [name, metrics] : calibration.before.strata)
    text += fmt::format(", in '{}' from {:.4f} to {:.4f}", name, metrics.overconfidence,
                        outcome.evaluation.strata.at(name).overconfidence);
  return {{"Calibrated after the fact by " + to_string(calibration.method), text + "."}};
}

/// The one place where a page's subject is put together.
ReportSubject subject_of(const ReportSection& section, int threads) {
  PageInput input;
  input.name = section.name;
  input.title = section.title;
  input.class_names = section.contenders.front().outcome->class_names;
  input.threads = threads;
  const ReportContender* const region = region_contender(section);
  if (region != nullptr) {
    const Model& model = *region->model;
    input.column_names = model.schema.feature_names();
    input.feature_names = model.features.output_names(input.column_names);
    input.categories = coded_categories(model.schema);
    input.test = region->outcome->test_rows.get();
    input.train = region->outcome->train_rows.get();
    input.fit = model.record.summary;
    input.trust_curve = trust_curve(model.classifier);
    input.promises = region->outcome->promises;
  }
  for (const ReportContender& contender : section.contenders) {
    const EvaluateOutcome& outcome = *contender.outcome;
    PageMethod method{contender.name, contender.group, outcome.evaluation, outcome.diagnostics,
                      &outcome.rows};
    if (contender.model != nullptr && !outcome.calibration &&
        share_plane(*contender.model, *region->model, input.test))
      method.score = plane_score(*contender.model, threads);
    input.methods.push_back(std::move(method));
  }
  ReportSubject subject = make_subject(input);
  if (!section.stratum_note.empty()) subject.stratum_note = section.stratum_note;
  subject.sentences.insert(subject.sentences.end(), section.sentences.begin(), section.sentences.end());
  for (const ReportContender& contender : section.contenders)
    for (ReportWords& words : calibration_words(*contender.outcome))
      subject.words.push_back(std::move(words));
  for (const auto& [head, text] : section.remarks) subject.words.push_back({head, text});
  return subject;
}

/// What decided a model; of several methods each contender tells its own.
std::vector<std::pair<std::string, std::string>> options_of(const Model& model, bool has_several_methods) {
  std::vector<std::pair<std::string, std::string>> options;
  for (const auto& [name, value] : model.record.options) {
    if (has_several_methods && name == "method") continue;
    std::string shown = name;
    std::replace(shown.begin(), shown.end(), '_', '-');
    options.emplace_back(std::move(shown), to_string(value));
  }
  return options;
}

std::vector<std::pair<std::string, std::string>> options_of(const ReportSection& section) {
  const ReportContender* const region = region_contender(section);
  if (region == nullptr) return {};
  return options_of(*region->model, section.contenders.size() > 1);
}

/// On which rows one may act, by labels that the model had not seen.
std::string acceptance_sentence(const Model& model) {
  if (!keeps_held_out_answers(model.classifier))
    return "It keeps no held-out answers, so it promises nothing.";
  const RiskRequest request;
  const Acceptance found = acceptance(model.classifier, request);
  const std::string risk = fmt::format("a risk of {:.0f} % and a confidence of {:.0f} %",
                                       100.0 * request.risk, 100.0 * request.confidence);
  if (found.threshold < 0.0) return fmt::format("At {} no row can be answered.", risk);
  return fmt::format(
      "At {} it answers informative rows with an error probability of at most {}: of {} held-out "
      "rows like these, {} were wrong.",
      risk, percent_words(found.threshold), count_words(found.n_tested), count_words(found.n_wrong));
}

std::string file_name(const std::string& path) {
  return std::filesystem::path(path).filename().string();
}

void check_features(MatrixView features, std::span<const int> labels, const Model& model, const char* whose) {
  if (features.n_rows != static_cast<Index>(labels.size()) || features.n_cols != model.schema.n_features())
    throw Error(ErrorKind::data,
                fmt::format("found {} rows of {} features {}, expected {} of {}, one per label",
                            features.n_rows, features.n_cols, whose, labels.size(),
                            model.schema.n_features()));
}

} // namespace

std::string report_page(const Report& report) {
  ReportPage page;
  page.title = report.title;
  page.subtitle = report.subtitle;
  for (const ReportSection& section : report.sections)
    page.subjects.push_back(subject_of(section, report.threads));
  page.options = report.options.empty() ? options_of(report.sections.front()) : report.options;
  page.versions = {{"lacuna", version()}};
  return report_html(page);
}

std::string report_page(const Model& model, const std::string& title) {
  const std::string method = model.record.option("method");
  PageInput input;
  input.name = method;
  input.class_names = model.class_names();
  input.fit = model.record.summary;
  input.trust_curve = trust_curve(model.classifier);
  ReportPage page;
  page.title = title;
  page.subtitle = fmt::format("What a model fitted with method {} found out about itself.", method);
  page.subjects = {make_subject(input)};
  page.subjects.front().sentences.push_back(acceptance_sentence(model));
  page.options = options_of(model, false);
  page.versions = {{"lacuna", version()}};
  return report_html(page);
}

std::string report_page(const EvaluateRequest& request, const EvaluateOutcome& outcome, const Model* model) {
  const std::string n_rows = count_words(outcome.rows.n_rows());
  const std::string method = model != nullptr ? model->record.option("method") : "the predictions";
  Report report;
  report.title = file_name(request.path);
  report.subtitle =
      model != nullptr ? fmt::format("{} test rows, judged by a model fitted with method {}.", n_rows, method)
                       : fmt::format("{} predictions with known labels.", n_rows);
  report.sections = {{.contenders = {{.name = method, .outcome = &outcome, .model = model}}}};
  report.threads = request.threads;
  return report_page(report);
}

std::string report_page(const CompareRequest& request, const Comparison& comparison) {
  ReportSection section;
  for (const ComparedMethod& method : comparison.methods)
    section.contenders.push_back({.name = method.name, .outcome = &method.outcome, .model = &method.model});
  for (const ComparedPlain& plain : comparison.plain_models)
    section.contenders.push_back({.name = plain.name, .outcome = &plain.outcome});
  section.sentences = {comparison.winner().words};
  if (!comparison.left_out.empty()) section.sentences.push_back(comparison.left_out);
  Report report;
  report.title = "Four methods on " + file_name(request.test);
  report.subtitle =
      fmt::format("Fitted to {} with the same densities and the same seed, beside plain models "
                  "of the labeled rows alone; judged on {} rows.",
                  file_name(request.path), count_words(comparison.methods.back().outcome.rows.n_rows()));
  report.sections = {std::move(section)};
  report.threads = request.threads;
  return report_page(report);
}

std::string report_page(const Diagnosis& diagnosis, const std::string& title) {
  ReportPage page;
  page.title = title;
  page.subtitle =
      fmt::format("What {} labels allow to say about {} rows, before there is a model.",
                  count_words(diagnosis.n_labeled), count_words(diagnosis.n_labeled + diagnosis.n_unlabeled));
  page.diagnosis = diagnosis;
  page.versions = {{"lacuna", version()}};
  return report_html(page);
}

std::string report_page(const RowsReport& request, Observer& observer) {
  if (request.contenders.empty()) throw Error(ErrorKind::data, "a page needs a classifier to tell about");
  std::vector<EvaluateOutcome> outcomes;
  for (const RowsReport::Contender& contender : request.contenders)
    outcomes.push_back(evaluate(request.rows, contender.predictions));
  ReportSection section;
  for (std::size_t c = 0; c < outcomes.size(); ++c)
    section.contenders.push_back(
        {.name = request.contenders[c].name, .outcome = &outcomes[c], .model = request.contenders[c].model});
  if (const ReportContender* const region = region_contender(section)) {
    const Model& model = *region->model;
    EvaluateOutcome& outcome = outcomes[static_cast<std::size_t>(region - section.contenders.data())];
    check_features(request.features, request.rows.labels, model, "to judge with");
    MemoryBlocks test(request.features, request.rows.labels);
    PromiseTally promises(model.classifier);
    outcome.test_rows = sample_test(model, test, request.threads, promises, observer);
    outcome.promises = promises.found();
    if (request.training) {
      check_features(request.training->features, request.training->labels, model, "to learn from");
      MemoryBlocks train(request.training->features, request.training->labels);
      outcome.train_rows = sample_training(model, train, request.threads, observer);
    }
  }
  section.sentences = request.sentences;
  Report report;
  report.title = request.title;
  report.subtitle =
      fmt::format("{} test rows with known labels.", count_words(outcomes.front().rows.n_rows()));
  report.sections = {std::move(section)};
  report.threads = request.threads;
  return report_page(report);
}

} // namespace lacuna
