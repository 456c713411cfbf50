#include <cmath>

#include <nlohmann/json.hpp>

#include "lacuna/core/version.hpp"
#include "lacuna/pipeline/documents.hpp"
#include "pipeline/json_parts.hpp"

namespace lacuna {

namespace {

using Json = nlohmann::ordered_json;

// Enough for every screen and every page of a paper.
constexpr Index max_curve_points = 512;

// JSON has no infinity and no NaN: the first becomes a word, so that a reader can tell it from what nobody
// knows, which becomes null.
Json number(double value) {
  return std::isinf(value) ? Json(value > 0.0 ? "infinity" : "-infinity") : Json(value);
}

Json metrics_json(const Metrics& metrics) {
  Json bins = Json::array();
  for (const ReliabilityBin& bin : metrics.bins)
    bins.push_back({{"low", bin.low},
                    {"high", bin.high},
                    {"n", bin.n},
                    {"mean_error_probability", bin.mean_error_probability},
                    {"error_rate", bin.error_rate}});
  Json document;
  document["n"] = metrics.n;
  for (const NamedMetric& metric : named_metrics) document[metric.name] = number(metrics.*metric.value);
  document["bins"] = bins;
  return document;
}

Json reliability_json(const ReliabilityCurve& curve, const std::vector<std::string>& strata) {
  Json bins = Json::array();
  for (const CurveBin& bin : curve.bins) {
    Json contributions = Json::object();
    for (std::size_t s = 0; s < strata.size(); ++s) contributions[strata[s]] = bin.contributions[s];
    bins.push_back({{"low", bin.low},
                    {"high", bin.high},
                    {"n", bin.n},
                    {"n_errors", bin.n_errors},
                    {"mean_error_probability", bin.mean_error_probability},
                    {"error_rate", bin.error_rate},
                    {"interval_low", bin.interval.low},
                    {"interval_high", bin.interval.high},
                    {"contributions", contributions}});
  }
  return {{"bin_kind", to_string(curve.bin_kind)},
          {"n_bins", curve.n_bins},
          {"interval_level", interval_level},
          {"calibration_error", curve.calibration_error},
          {"bins", bins}};
}

Json murphy_json(const MurphyDecomposition& murphy) {
  return {{"reliability", murphy.reliability},
          {"resolution", murphy.resolution},
          {"uncertainty", murphy.uncertainty},
          {"within_bins", murphy.within_bins}};
}

Json corp_json(const CorpCurve& corp) {
  Json curve = Json::array();
  for (const IsotonicBlock& block : thinned(corp.blocks, max_curve_points))
    curve.push_back({{"low", block.low},
                     {"high", block.high},
                     {"n", static_cast<Index>(std::lround(block.weight))},
                     {"mean_error_probability", block.mean_x},
                     {"error_rate", block.value}});
  return {{"miscalibration", corp.miscalibration},
          {"discrimination", corp.discrimination},
          {"uncertainty", corp.uncertainty},
          {"n_blocks", corp.blocks.size()},
          {"curve", curve}};
}

Json risk_numbers(const RiskCoverage& risk_coverage) {
  return {{"aurc", risk_coverage.aurc},
          {"augrc", risk_coverage.augrc},
          {"coverage_at_5_percent_risk", risk_coverage.coverage_at_5_percent_risk},
          {"risk_at_80_percent_coverage", risk_coverage.risk_at_80_percent_coverage}};
}

Json risk_coverage_json(const RiskCoverage& risk_coverage) {
  Json curve = Json::array();
  for (const RiskCoveragePoint& point : thinned(risk_coverage.curve, max_curve_points))
    curve.push_back(
        {{"error_probability", point.error_probability}, {"coverage", point.coverage}, {"risk", point.risk}});
  Json document = risk_numbers(risk_coverage);
  document["curve"] = curve;
  return document;
}

Json confusion_json(const ConfusionMatrix& matrix) {
  Json rows = Json::array();
  const auto n_classes = static_cast<int>(matrix.n_classes());
  for (int label = 0; label < n_classes; ++label) {
    Json row = Json::array();
    for (int prediction = 0; prediction < n_classes; ++prediction)
      row.push_back(matrix.count(label, prediction));
    rows.push_back(std::move(row));
  }
  return rows;
}

Json calibration_json(const CalibrationOutcome& calibration, const Evaluation& after) {
  Json parameters = Json::object();
  for (const auto& [name, value] : calibration.parameters) parameters[name] = value;
  return {{"method", to_string(calibration.method)},
          {"n_rows", calibration.n_rows},
          {"parameters", parameters},
          {"before", evaluation_object(calibration.before)},
          {"after", evaluation_object(after)}};
}

Json promised_rows_json(const PromiseCheck::Rows& rows) {
  return {{"n", rows.n},
          {"n_covered", rows.n_covered},
          {"n_of_size", rows.n_of_size},
          {"n_answered", rows.n_answered},
          {"n_wrong", rows.n_wrong}};
}

Json document_of(const EvaluateOutcome& outcome, const Model* model) {
  const Diagnostics& diagnostics = outcome.diagnostics;
  Json document = evaluation_object(outcome.evaluation);
  for (const auto& [name, part] : diagnostics.strata) {
    document["strata"][name]["classwise_calibration_error"] = part.classwise_calibration_error;
    document["strata"][name]["risk_coverage"] = risk_numbers(part.risk_coverage);
  }
  document["n_unlabeled"] = outcome.n_unlabeled;
  document["version"] = version();
  document["model"] = model_object(model);
  document["classes"] = outcome.class_names;
  document["classwise_calibration_error"] = diagnostics.classwise_calibration_error;
  document["reliability"] = reliability_json(diagnostics.reliability, outcome.rows.stratum_names);
  document["murphy"] = murphy_json(diagnostics.reliability.murphy);
  document["corp"] = corp_json(diagnostics.corp);
  document["risk_coverage"] = risk_coverage_json(diagnostics.risk_coverage);
  document["confusion_matrix"] = confusion_json(diagnostics.confusion_matrix);
  if (outcome.promises) document["promises"] = promises_object(*outcome.promises);
  if (outcome.calibration)
    document["calibration"] = calibration_json(*outcome.calibration, outcome.evaluation);
  return document;
}

std::string text_of(const Json& document) {
  return document.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

} // namespace

Json evaluation_object(const Evaluation& evaluation) {
  Json document = metrics_json(evaluation.overall);
  Json strata = Json::object();
  for (const auto& [name, metrics] : evaluation.strata) strata[name] = metrics_json(metrics);
  document["strata"] = strata;
  return document;
}

Json promises_object(const PromiseCheck& promises) {
  return {{"coverage", promises.coverage},
          {"risk", promises.risk},
          {"confidence", promises.confidence},
          {"inside", promised_rows_json(promises.inside)},
          {"outside", promised_rows_json(promises.outside)}};
}

std::string evaluation_json(const EvaluateOutcome& outcome, const Model* model) {
  return text_of(document_of(outcome, model));
}

std::string comparison_json(const Comparison& comparison) {
  const auto entry = [](const std::string& name, const EvaluateOutcome& outcome, const Model* model) {
    Json result{{"method", name}};
    result.update(document_of(outcome, model));
    return result;
  };
  Json methods = Json::array();
  for (const ComparedMethod& method : comparison.methods)
    methods.push_back(entry(method.name, method.outcome, &method.model));
  Json plain = Json::array();
  for (const ComparedPlain& model : comparison.plain_models)
    plain.push_back(entry(model.name, model.outcome, nullptr));
  const Winner winner = comparison.winner();
  return text_of({{"version", version()},
                  {"methods", methods},
                  {"plain_models", plain},
                  {"left_out", comparison.left_out},
                  {"winner",
                   {{"method", winner.name},
                    {"is_plain", winner.is_plain},
                    {"brier_error", winner.brier_error},
                    {"words", winner.words}}}});
}

} // namespace lacuna
