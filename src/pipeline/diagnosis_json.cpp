#include <nlohmann/json.hpp>

#include "lacuna/core/version.hpp"
#include "lacuna/pipeline/documents.hpp"
#include "pipeline/json_parts.hpp"

namespace lacuna {

namespace {

using Json = nlohmann::ordered_json;

Json part_json(const LabeledPart& part) {
  return {{"where", part.where}, {"n_rows", part.n_rows}, {"n_labeled", part.n_labeled}};
}

Json interval_json(const Interval& interval) {
  return {{"low", interval.low}, {"high", interval.high}};
}

} // namespace

Json diagnosis_object(const Diagnosis& found) {
  Json columns = Json::array();
  for (const LabelingColumn& column : found.columns) {
    Json parts = Json::array();
    for (const LabeledPart& part : column.parts) parts.push_back(part_json(part));
    columns.push_back({{"name", column.name}, {"importance", column.importance}, {"parts", parts}});
  }
  Json counts = Json::array();
  for (std::size_t y = 0; y < found.classes.size(); ++y)
    counts.push_back({{"class", found.classes[y]}, {"n_labeled", found.class_counts[y]}});
  Json findings = Json::array();
  for (const Finding& finding : found.findings)
    findings.push_back({{"topic", finding.topic},
                        {"concern", to_string(finding.concern)},
                        {"found", with_options(finding.found, plain_style)},
                        {"why", with_options(finding.why, plain_style)},
                        {"remedy", with_options(finding.remedy, plain_style)}});
  return {{"version", version()},
          {"n_labeled", found.n_labeled},
          {"n_unlabeled", found.n_unlabeled},
          {"classes", counts},
          {"labeling",
           {{"auc", found.auc},
            {"p_value", found.p_value},
            {"n_permutations", found.n_permutations},
            {"columns", columns},
            {"gap", found.gap ? part_json(*found.gap) : Json(nullptr)}}},
          {"overlap", {{"outside_share", found.outside_share}, {"effective_labels", found.effective_labels}}},
          {"error",
           {{"inside", found.error_inside},
            {"inside_interval", interval_json(found.inside)},
            {"total", interval_json(found.error)}}},
          {"findings", findings}};
}

std::string diagnosis_json(const Diagnosis& found) {
  return diagnosis_object(found).dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

} // namespace lacuna
