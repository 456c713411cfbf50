#include "pipeline/record_json.hpp"

#include <algorithm>
#include <cmath>

#include <nlohmann/json.hpp>

#include "core/archive_checks.hpp"
#include "core/json_depth.hpp"
#include "lacuna/core/errors.hpp"
#include "lacuna/pipeline/documents.hpp"
#include "pipeline/json_parts.hpp"
#include "pipeline/stack_json.hpp"

// The one file that turns records into JSON and back. Whole numbers are taken by get_ref, which refuses
// others; get would cast any number, and one that is out of range is undefined.

namespace lacuna {

namespace {

using Json = nlohmann::ordered_json;

// Class and column names may come in any encoding, JSON wants UTF-8. Numbers that are not finite become null.
std::string dump(const Json& document) {
  return document.dump(2, ' ', false, Json::error_handler_t::replace);
}

std::string with_dashes(std::string name) {
  std::replace(name.begin(), name.end(), '_', '-');
  return name;
}

std::string with_underscores(std::string name) {
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

OptionValue read_value(const Json& value) {
  if (value.is_boolean()) return value.get<bool>();
  if (value.is_number_unsigned() && value.get<std::uint64_t>() > static_cast<std::uint64_t>(PTRDIFF_MAX))
    return value.get<std::uint64_t>();
  if (value.is_number_integer()) return value.get<Index>();
  if (value.is_number()) return value.get<double>();
  if (value.is_array() && !value.empty() && value.front().is_number()) {
    std::vector<Index> numbers;
    for (const Json& number : value) numbers.push_back(number.get_ref<const std::int64_t&>());
    return numbers;
  }
  if (value.is_array()) return value.get<std::vector<std::string>>();
  return value.get<std::string>();
}

Json density_json(const DensityRecord& density) {
  return {{"name", density.name},
          {"n_rows", density.n_rows},
          {"n_components", density.n_components},
          {"n_iterations", density.n_iterations},
          {"objective", density.objective},
          {"stop_reason", to_string(density.stop_reason)},
          {"measures", density.measures}};
}

double number_of(const Json& value) {
  return value.is_number() ? value.get<double>() : std::nan("");
}

StopReason read_stop_reason(const Json& value) {
  const std::optional<StopReason> reason = find_choice<StopReason>(value.get<std::string>());
  if (!reason) throw Error(ErrorKind::data, "the model is damaged: a fit ended for no known reason");
  return *reason;
}

DensityRecord read_density(const Json& found) {
  DensityRecord density;
  density.name = found.at("name").get<std::string>();
  density.n_rows = found.at("n_rows").get_ref<const std::int64_t&>();
  density.n_components = found.at("n_components").get_ref<const std::int64_t&>();
  density.n_iterations = found.at("n_iterations").get_ref<const std::int64_t&>();
  density.objective = number_of(found.at("objective"));
  density.stop_reason = read_stop_reason(found.at("stop_reason"));
  const Json measures = found.value("measures", Json::object());
  for (const auto& [name, value] : measures.items()) density.measures[name] = number_of(value);
  return density;
}

FitSummary read_summary(const Json& found) {
  FitSummary summary;
  summary.n_labeled = found.at("n_labeled").get_ref<const std::int64_t&>();
  summary.n_unlabeled = found.at("n_unlabeled").get_ref<const std::int64_t&>();
  if (found.contains("n_kept_unlabeled"))
    summary.n_kept_unlabeled = found.at("n_kept_unlabeled").get_ref<const std::int64_t&>();
  for (const auto& [name, count] : found.at("class_counts").items())
    summary.class_counts.push_back(count.get_ref<const std::int64_t&>());
  summary.kappa = number_of(found.at("kappa"));
  summary.kappa_asked = number_of(found.value("kappa_asked", found.at("kappa"))); // models of 0.1 have none
  summary.n_informative = found.at("n_informative").get_ref<const std::int64_t&>();
  summary.informative_share = number_of(found.at("informative_share"));
  summary.informative_weight = number_of(found.at("informative_weight"));
  summary.shrinkage = found.value("shrinkage", 0.0); // models of 0.1 have none
  summary.draw_spread = number_of(found.at("draw_spread"));
  summary.n_em_iterations = found.at("n_em_iterations").get_ref<const std::int64_t&>();
  summary.stop_reason = read_stop_reason(found.at("stop_reason"));
  for (const Json& density : found.at("densities")) summary.densities.push_back(read_density(density));
  if (found.contains("stack")) summary.stack = read_stack(found.at("stack"));
  return summary;
}

Json record_object(const FitRecord& record) {
  // A file has no reader whose style of options is known.
  Json notes = Json::array();
  for (const std::string& note : record.notes) notes.push_back(with_options(note, plain_style));
  Json document = {{"version", record.version},         {"seed", record.seed},
                   {"options", options_object(record)}, {"classes", record.classes},
                   {"features", record.features},       {"model_features", record.model_features},
                   {"summary", summary_object(record)}, {"notes", notes}};
  if (!record.label_type.empty()) document["python"] = {{"label_type", record.label_type}};
  return document;
}

FitRecord read_object(const Json& document) {
  FitRecord record;
  record.version = document.at("version").get<std::string>();
  record.seed = document.at("seed").get_ref<const std::uint64_t&>();
  for (const auto& [name, value] : document.at("options").items())
    record.options.emplace_back(with_underscores(name), read_value(value));
  record.classes = document.at("classes").get<std::vector<std::string>>();
  record.features = document.at("features").get<std::vector<std::string>>();
  record.model_features = document.at("model_features").get<std::vector<std::string>>();
  record.summary = read_summary(document.at("summary"));
  record.notes = document.at("notes").get<std::vector<std::string>>();
  // Names that are no UTF-8 may have become one in the JSON.
  record.summary.class_counts.resize(record.classes.size());
  if (document.contains("python")) record.label_type = document.at("python").value("label_type", "");
  for (const auto* texts : {&record.classes, &record.features, &record.model_features, &record.notes})
    for (const std::string& text : *texts) require_short(text, "record");
  require_short(record.version, "record");
  return record;
}

} // namespace

Json summary_object(const FitRecord& record) {
  const FitSummary& summary = record.summary;
  const std::vector<std::string>& classes = record.classes;
  Json counts = Json::object();
  for (std::size_t y = 0; y < classes.size(); ++y)
    counts[classes[y]] = y < summary.class_counts.size() ? summary.class_counts[y] : 0;
  Json densities = Json::array();
  for (const DensityRecord& density : summary.densities) densities.push_back(density_json(density));
  Json object = {{"n_labeled", summary.n_labeled},
                 {"n_unlabeled", summary.n_unlabeled},
                 {"class_counts", counts},
                 {"kappa", summary.kappa},
                 {"kappa_asked", summary.kappa_asked},
                 {"n_informative", summary.n_informative},
                 {"informative_share", summary.informative_share},
                 {"informative_weight", summary.informative_weight},
                 {"shrinkage", summary.shrinkage},
                 {"draw_spread", summary.draw_spread},
                 {"n_em_iterations", summary.n_em_iterations},
                 {"stop_reason", to_string(summary.stop_reason)},
                 {"densities", densities}};
  if (summary.n_kept_unlabeled > 0) object["n_kept_unlabeled"] = summary.n_kept_unlabeled;
  if (!summary.stack.members.empty()) object["stack"] = stack_object(summary.stack);
  return object;
}

Json model_object(const Model* model) {
  if (model == nullptr) return nullptr;
  return {{"version", model->record.version},
          {"seed", model->record.seed},
          {"options", options_object(model->record)}};
}

Json options_object(const FitRecord& record) {
  Json options = Json::object();
  for (const auto& [name, value] : record.options)
    options[with_dashes(name)] = std::visit([](const auto& known) { return Json(known); }, value);
  return options;
}

std::string FitRecord::option(std::string_view name) const {
  for (const auto& [known, value] : options)
    if (known == name) return to_string(value);
  return "";
}

std::string record_json(const FitRecord& record) {
  return dump(record_object(record));
}

FitRecord read_record(std::string_view json) {
  if (nests_too_deeply(json))
    throw Error(ErrorKind::data, "the model is damaged: its record nests deeper than any that lacuna writes");
  try {
    return read_object(Json::parse(json));
  } catch (const Json::exception& problem) {
    constexpr std::size_t longest = 200; // it may quote the record
    throw Error(ErrorKind::data, "the model is damaged: its record cannot be read (" +
                                     std::string(problem.what()).substr(0, longest) + ")");
  }
}

std::string fit_json(const Model& model, double seconds) {
  Json document = record_object(model.record);
  document["seconds"] = seconds;
  return dump(document) + "\n";
}

std::string model_json(const Model& model) {
  return record_json(model.record) + "\n";
}

} // namespace lacuna
