#include <algorithm>
#include <cmath>
#include <string_view>

#include <nlohmann/json.hpp>

#include "pipeline/json_parts.hpp"
#include "pipeline/stack_json.hpp"
#include "report/page.hpp"
#include "report/verdict.hpp"

// The format that src/report/page/*.js reads. Numbers of tables keep all their digits; what is only drawn is
// rounded to less than a pixel.

namespace lacuna {

namespace {

using Json = nlohmann::ordered_json;

constexpr double coordinate_steps = 9999.0;
constexpr double probability_steps = 1000.0;
constexpr int field_levels = 64;
constexpr Index max_risk_points = 400;
constexpr Index max_corp_blocks = 120;

/// Control characters may not stand in an SVG file, in no form; neither may U+FFFE and U+FFFF.
std::string clean(const std::string& text) {
  std::string result = text;
  for (std::size_t i = 0; i < result.size(); ++i) {
    const auto byte = [&](std::size_t at) { return static_cast<unsigned char>(result[at]); };
    if ((byte(i) < 0x20 && result[i] != '\n' && result[i] != '\t') || byte(i) == 0x7F)
      result[i] = ' ';
    else if (i + 2 < result.size() && byte(i) == 0xEF && byte(i + 1) == 0xBF && byte(i + 2) >= 0xBE)
      result[i + 2] = static_cast<char>(0xBD);
  }
  return result;
}

Json cleaned(const std::vector<std::string>& texts) {
  Json result = Json::array();
  for (const std::string& text : texts) result.push_back(clean(text));
  return result;
}

Json cleaned(Json document) {
  if (document.is_string()) return clean(document.get_ref<const std::string&>());
  if (document.is_structured())
    for (Json& part : document) part = cleaned(std::move(part));
  return document;
}

/// The place between low and high as a whole number, -1 for what is not there.
int step_of(double value, double low, double high) {
  if (!(value >= low && value <= high) || !(high > low)) return -1;
  return static_cast<int>(std::lround((value - low) / (high - low) * coordinate_steps));
}

Json coordinates(const std::vector<double>& values, double low, double high) {
  Json result = Json::array();
  for (const double value : values) result.push_back(step_of(value, low, high));
  return result;
}

/// One printable character per value, none of which JSON or HTML would have to escape.
std::string levels(const std::vector<double>& values) {
  std::string text;
  for (const double value : values) {
    const double share = std::isfinite(value) ? std::clamp(value, 0.0, 1.0) : 1.0;
    int code = 40 + static_cast<int>(std::lround(share * (field_levels - 1)));
    if (code >= '<') ++code;
    if (code >= '\\') ++code;
    text += static_cast<char>(code);
  }
  return text;
}

/// Infinity is a word, as in the documents of lacuna evaluate.
Json number(double value) {
  return std::isinf(value) ? Json(value > 0.0 ? "infinity" : "-infinity") : Json(value);
}

Json metrics_json(const Metrics& metrics, const RiskCoverage& risk, double classwise_calibration_error) {
  Json document;
  document["n"] = metrics.n;
  for (const NamedMetric& metric : named_metrics) document[metric.name] = number(metrics.*metric.value);
  document["aurc"] = risk.aurc;
  document["augrc"] = risk.augrc;
  document["coverage_at_5_percent_risk"] = risk.coverage_at_5_percent_risk;
  document["risk_at_80_percent_coverage"] = risk.risk_at_80_percent_coverage;
  document["classwise_calibration_error"] = classwise_calibration_error;
  return document;
}

Json bin_json(const CurveBin& bin) {
  return {{"low", bin.low},
          {"high", bin.high},
          {"n", bin.n},
          {"n_errors", bin.n_errors},
          {"mean_error_probability", bin.mean_error_probability},
          {"error_rate", bin.error_rate},
          {"interval", {bin.interval.low, bin.interval.high}},
          {"contributions", bin.contributions}};
}

Json field_json(const ReportField& field) {
  Json probability = Json::array();
  for (const std::vector<double>& values : field.probability) probability.push_back(levels(values));
  return {{"n_columns", field.n_columns},   {"n_rows", field.n_rows},
          {"prediction", field.prediction}, {"error_probability", levels(field.error_probability)},
          {"classes", field.classes},       {"probability", probability}};
}

Json method_json(const ReportMethod& method) {
  const Diagnostics& diagnostics = method.diagnostics;
  const RiskCoverage& risk = diagnostics.risk_coverage;
  const Json metrics = metrics_json(method.evaluation.overall, risk, diagnostics.classwise_calibration_error);
  Json strata = Json::array();
  for (const auto& [name, part] : method.evaluation.strata) {
    const StratumDiagnostics& more = diagnostics.strata.at(name);
    strata.push_back({{"name", clean(name)},
                      {"metrics", metrics_json(part, more.risk_coverage, more.classwise_calibration_error)}});
  }
  Json bins = Json::array();
  for (const CurveBin& bin : diagnostics.reliability.bins) bins.push_back(bin_json(bin));
  Json corp = Json::array();
  for (const IsotonicBlock& block : thinned(diagnostics.corp.blocks, max_corp_blocks))
    corp.push_back({block.low, block.high, block.value, block.weight});
  Json curve = Json::array();
  for (const RiskCoveragePoint& point : thinned(risk.curve, max_risk_points))
    curve.push_back({point.coverage, point.risk});
  Json confusion = Json::array();
  const auto n_classes = static_cast<int>(diagnostics.confusion_matrix.n_classes());
  for (int y = 0; y < n_classes; ++y)
    for (int k = 0; k < n_classes; ++k) confusion.push_back(diagnostics.confusion_matrix.count(y, k));
  Json error_probability = Json::array();
  for (const double q : method.error_probability)
    error_probability.push_back(static_cast<int>(std::lround(std::clamp(q, 0.0, 1.0) * probability_steps)));
  return {{"name", clean(method.name)},
          {"group", clean(method.group)},
          {"metrics", metrics},
          {"strata", strata},
          {"stratum_names", cleaned(method.stratum_names)},
          {"bins", bins},
          {"corp", corp},
          {"risk_coverage", curve},
          {"inverted", inverted_words(risk, method.evaluation.overall.n)},
          {"confusion", confusion},
          {"prediction", method.prediction},
          {"error_probability", error_probability},
          {"field", method.field ? field_json(*method.field) : Json()}};
}

Json data_json(const ReportDataView& data, const ReportPlane& plane) {
  return {{"n_rows", data.n_rows},
          {"class_counts", data.class_counts},
          {"x", coordinates(data.x, plane.x_low, plane.x_high)},
          {"y", coordinates(data.y, plane.y_low, plane.y_high)},
          {"label", data.label}};
}

Json kappa_json(const ReportKappa& kappa) {
  Json counts = Json::array();
  for (const ReportRowCounts& set : kappa.counts)
    counts.push_back(
        {{"rows_name", clean(set.rows_name)}, {"n_rows", set.n_rows}, {"n_informative", set.n_informative}});
  return {{"kappa", kappa.kappa}, {"positions", kappa.positions}, {"counts", counts}};
}

Json trust_json(const ReportTrust& trust) {
  const Json stack = stack_object(trust.stack);
  Json checks = Json::array();
  const auto add_check = [&](const char* key, const char* name) {
    Json check = stack.at("self_check").at(key);
    if (check.at("n_rows") == 0) return;
    check["name"] = name;
    checks.push_back(std::move(check));
  };
  add_check("all", "all labeled rows");
  add_check("deep", "the deepest tenth");
  Json curve = Json::array();
  for (const TrustPoint& point : trust.curve) curve.push_back({point.depth, point.kept});
  return {{"gaps", stack.at("gaps")},
          {"gaps_words", trust.gaps_words},
          {"deepest", stack.at("deepest")},
          {"curve", curve},
          {"checks", checks},
          {"check_words", trust.check_words}};
}

Json promises_json(const ReportPromises& promises) {
  Json result = promises_object(promises.check);
  result["words"] = promises.words;
  return result;
}

const char* tone_name(Tone tone) {
  switch (tone) {
  case Tone::kept: return "kept";
  case Tone::careful: return "careful";
  case Tone::unsure: return "unsure";
  case Tone::broken: break;
  }
  return "broken";
}

Json verdict_json(const ReportVerdict& verdict) {
  return {{"name", clean(verdict.name)}, {"tone", tone_name(verdict.tone)}, {"text", clean(verdict.text)}};
}

Json test_json(const ReportSubject& subject) {
  const ReportTestRows& test = subject.test;
  // A row is informative at a position when that position is below its log ratio: the number of such
  // positions says all about it.
  Json step = Json::array();
  if (subject.kappa) {
    const std::vector<double>& positions = subject.kappa->positions;
    for (const double ratio : test.log_ratio)
      step.push_back(std::lower_bound(positions.begin(), positions.end(), ratio) - positions.begin());
  }
  return {{"n_rows", test.n_rows},
          {"x", coordinates(test.x, subject.plane.x_low, subject.plane.x_high)},
          {"y", coordinates(test.y, subject.plane.y_low, subject.plane.y_high)},
          {"label", test.label},
          {"step", step}};
}

Json subject_json(const ReportSubject& subject) {
  const ReportPlane& plane = subject.plane;
  Json methods = Json::array();
  for (const ReportMethod& method : subject.methods) methods.push_back(method_json(method));
  Json words = Json::array();
  Json verdicts = Json::array();
  for (const ReportVerdict& verdict : subject.verdicts) verdicts.push_back(verdict_json(verdict));
  for (const ReportWords& word : subject.words)
    words.push_back({{"head", clean(word.head)}, {"text", clean(word.text)}});
  return {{"name", clean(subject.name)},
          {"title", clean(subject.title)},
          {"headline", clean(subject.headline)},
          {"verdicts", verdicts},
          {"sentences", cleaned(subject.sentences)},
          {"class_names", cleaned(subject.class_names)},
          {"stratum_note", clean(subject.stratum_note)},
          {"plane",
           {{"x_name", clean(plane.x_name)},
            {"y_name", clean(plane.y_name)},
            {"note", clean(plane.note)},
            {"x_low", plane.x_low},
            {"x_high", plane.x_high},
            {"y_low", plane.y_low},
            {"y_high", plane.y_high}}},
          {"data", subject.data ? data_json(*subject.data, plane) : Json()},
          {"kappa", subject.kappa ? kappa_json(*subject.kappa) : Json()},
          {"trust", subject.trust ? trust_json(*subject.trust) : Json()},
          {"promises", subject.promises ? promises_json(*subject.promises) : Json()},
          {"test", test_json(subject)},
          {"methods", methods},
          {"words", words}};
}

Json pairs_json(const std::vector<std::pair<std::string, std::string>>& pairs) {
  Json result = Json::array();
  for (const auto& [name, value] : pairs) result.push_back({clean(name), clean(value)});
  return result;
}

/// '<' could end the script element or begin a comment in it; U+2028 and U+2029 end lines of a script. All of
/// them stand only inside strings, where JSON has another way to write them.
std::string script_safe(std::string_view json) {
  std::string result;
  result.reserve(json.size());
  for (std::size_t i = 0; i < json.size(); ++i) {
    const std::string_view rest = json.substr(i);
    if (rest.front() == '<') {
      result += "\\u003c";
    } else if (rest.starts_with("\xE2\x80\xA8") || rest.starts_with("\xE2\x80\xA9")) {
      result += rest[2] == '\xA8' ? "\\u2028" : "\\u2029";
      i += 2;
    } else {
      result += rest.front();
    }
  }
  return result;
}

} // namespace

std::string report_json(const ReportPage& page) {
  Json subjects = Json::array();
  for (const ReportSubject& subject : page.subjects) subjects.push_back(subject_json(subject));
  const Json document{{"title", clean(page.title)},
                      {"subtitle", clean(page.subtitle)},
                      {"diagnosis", page.diagnosis ? cleaned(diagnosis_object(*page.diagnosis)) : Json()},
                      {"subjects", subjects},
                      {"options", pairs_json(page.options)},
                      {"versions", pairs_json(page.versions)}};
  // Names may come in any encoding, JSON wants UTF-8; numbers that are not finite become null.
  return script_safe(document.dump(-1, ' ', false, Json::error_handler_t::replace));
}

} // namespace lacuna
