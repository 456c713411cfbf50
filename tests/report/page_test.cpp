#include "report/page.hpp"

#include <cmath>
#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <rapidcheck/gtest.h>

namespace lacuna {
namespace {

using Json = nlohmann::json;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();

/// Three test rows of two classes, one method.
ReportPage small_page() {
  Evaluator evaluator(2);
  const double p[2] = {0.75, 0.25};
  const std::string strata[] = {"near", "far"};
  evaluator.add(0, 0, 0.25, p, &strata[0]);
  evaluator.add(1, 0, 0.25, p, &strata[1]);
  evaluator.add(0, 0, 0.25, p, &strata[0]);
  ReportSubject subject;
  subject.name = "small";
  subject.class_names = {"a", "b"};
  subject.verdicts = {{"mar", Tone::careful, "announced 25.0 %, made 33.3 %."}};
  subject.sentences = {"One.", "Two.", "Three."};
  subject.plane = {"x", "y", "", 0.0, 10.0, -1.0, 1.0};
  subject.test = {3, {0.0, 5.0, 10.0}, {-1.0, 0.0, 1.0}, {0, 1, 0}, {-2.0, 0.5, 1.5}};
  subject.kappa = ReportKappa{0.5, {-1.0, 0.5, 2.0}, {{"test rows", 3, {2, 1, 0}}}};
  ReportMethod method;
  method.name = "mar";
  method.prediction = {0, 0, 0};
  method.error_probability = {0.25, 0.25, 0.25};
  method.evaluation = evaluator.evaluation();
  method.diagnostics = evaluator.diagnostics({});
  method.stratum_names = {"near", "far"};
  subject.methods = {method};
  ReportPage page;
  page.title = "A page";
  page.subjects = {subject};
  page.options = {{"seed", "0"}};
  page.versions = {{"lacuna", "0.0.0"}};
  return page;
}

Json parsed(const ReportPage& page) {
  return Json::parse(report_json(page));
}

TEST(ReportJson, HoldsWhatAStackFoundOut) {
  ReportPage page = small_page();
  EXPECT_TRUE(parsed(page).at("subjects").at(0).at("trust").is_null());
  ReportTrust trust;
  trust.stack.gaps = {{"ball", 40, 1.5, 0.1, 0.2, 0.75}};
  trust.stack.deepest = infinity;
  trust.stack.all = {100, 0.1, 0.12, 0.07, 0.2};
  trust.gaps_words = "Gaps.";
  trust.check_words = "Checks.";
  page.subjects.front().trust = trust;
  const Json found = parsed(page).at("subjects").at(0).at("trust");
  EXPECT_EQ(found.at("gaps").at(0).at("kind"), "ball");
  EXPECT_EQ(found.at("gaps").at(0).at("depth"), 1.5);
  EXPECT_EQ(found.at("gaps").at(0).at("worth"), 0.75);
  EXPECT_TRUE(found.at("deepest").is_null());
  ASSERT_EQ(found.at("checks").size(), 1U); // nobody was asked about the deepest tenth
  EXPECT_EQ(found.at("checks").at(0).at("announced"), 0.1);
  EXPECT_EQ(found.at("checks").at(0).at("high"), 0.2);
  EXPECT_EQ(found.at("gaps_words"), "Gaps.");
  EXPECT_EQ(found.at("check_words"), "Checks.");
}

TEST(ReportJson, HoldsVerdictsAndTheCurveWithoutBins) {
  const ReportPage page = small_page();
  const Json subject = parsed(page).at("subjects").at(0);
  EXPECT_EQ(subject.at("verdicts").at(0),
            Json({{"name", "mar"}, {"tone", "careful"}, {"text", "announced 25.0 %, made 33.3 %."}}));
  const Json corp = subject.at("methods").at(0).at("corp");
  ASSERT_EQ(corp.size(), 1U); // all three rows announce the same
  EXPECT_EQ(corp.at(0), Json::parse("[0.25, 0.25, 0.3333333333333333, 3.0]"));
  EXPECT_TRUE(parsed(page).at("diagnosis").is_null());
}

TEST(ReportJson, ADiagnosisIsCleaned) {
  ReportPage page = small_page();
  Diagnosis diagnosis;
  diagnosis.classes = {"a\x01", "b"};
  diagnosis.class_counts = {1, 2};
  diagnosis.columns = {{"age\x7F", 0.2, {{"at most 38", 10, 1}}}};
  page.diagnosis = diagnosis;
  const Json found = parsed(page).at("diagnosis");
  EXPECT_EQ(found.at("classes").at(0).at("class"), "a ");
  EXPECT_EQ(found.at("labeling").at("columns").at(0).at("name"), "age ");
  EXPECT_TRUE(found.at("labeling").at("auc").is_null());
}

TEST(ReportPage, HoldsMetricsWithAllTheirDigits) {
  const ReportPage page = small_page();
  const Json method = parsed(page).at("subjects").at(0).at("methods").at(0);
  const Metrics& metrics = page.subjects[0].methods[0].evaluation.overall;
  EXPECT_EQ(method.at("metrics").at("error_rate").get<double>(), metrics.error_rate);
  EXPECT_EQ(method.at("metrics").at("nll").get<double>(), metrics.nll);
  EXPECT_EQ(method.at("strata").at(0).at("name"), "far");
  EXPECT_EQ(method.at("strata").at(1).at("metrics").at("n"), 2);
  const Json bin = method.at("bins").at(5); // 0.25 to 0.30
  EXPECT_EQ(bin.at("n"), 3);
  EXPECT_EQ(bin.at("n_errors"), 1);
  EXPECT_EQ(bin.at("contributions"), Json::parse("[0, 0.3333333333333333]"));
  const Interval interval = clopper_pearson(3, 1, interval_level);
  EXPECT_EQ(bin.at("interval").at(0).get<double>(), interval.low);
  EXPECT_EQ(bin.at("interval").at(1).get<double>(), interval.high);
  EXPECT_TRUE(method.at("bins").at(0).at("error_rate").is_null());
  EXPECT_EQ(method.at("confusion"), Json::parse("[2, 0, 1, 0]"));
}

TEST(ReportPage, CoordinatesAreSharesOfTheShownRange) {
  ReportPage page = small_page();
  page.subjects[0].test.x = {0.0, 5.0, 10.5};
  page.subjects[0].test.y = {-1.0, nan, 1.0};
  const Json test = parsed(page).at("subjects").at(0).at("test");
  EXPECT_EQ(test.at("x"), Json::parse("[0, 5000, -1]")); // beyond the frame
  EXPECT_EQ(test.at("y"), Json::parse("[0, -1, 9999]"));
}

TEST(ReportPage, StepsTellAtWhichPositionsARowIsInformative) {
  // A row is informative at positions below its log ratio: strictly, as the region is defined.
  ReportPage page = small_page();
  page.subjects[0].test.log_ratio = {-2.0, 0.5, nan, infinity, -infinity, 0.6};
  EXPECT_EQ(parsed(page).at("subjects").at(0).at("test").at("step"), Json::parse("[0, 1, 0, 3, 0, 2]"));
}

TEST(ReportPage, InfiniteAndUnknownNumbersAreToldApart) {
  ReportPage page = small_page();
  page.subjects[0].methods[0].evaluation.overall.nll = infinity;
  page.subjects[0].methods[0].diagnostics.classwise_calibration_error = nan;
  const Json metrics = parsed(page).at("subjects").at(0).at("methods").at(0).at("metrics");
  EXPECT_EQ(metrics.at("nll"), "infinity");
  EXPECT_TRUE(metrics.at("classwise_calibration_error").is_null());
}

TEST(ReportPage, FieldsAreOneHarmlessCharacterPerCell) {
  ReportPage page = small_page();
  ReportField field{64, 1, {}, {}, {0}, {{}}};
  for (int i = 0; i < 64; ++i) {
    field.prediction.push_back(0);
    field.error_probability.push_back(i / 63.0);
    field.probability[0].push_back(i == 0 ? nan : 2.0);
  }
  page.subjects[0].methods[0].field = field;
  const Json found = parsed(page).at("subjects").at(0).at("methods").at(0).at("field");
  const std::string text = found.at("error_probability");
  ASSERT_EQ(text.size(), 64U);
  for (std::size_t i = 1; i < text.size(); ++i) EXPECT_LT(text[i - 1], text[i]);
  EXPECT_EQ(text.find_first_of("<\\\"&"), std::string::npos);
  const std::string odd = found.at("probability").at(0); // not a number and beyond one: the last level
  EXPECT_EQ(odd, std::string(64, text.back()));
}

TEST(ReportPage, HostileNamesStayInsideTheirStrings) {
  ReportPage page = small_page();
  const std::string hostile = "</script><!-- \xE2\x80\xA8 \xE2\x80\xA9 \"quoted\" \\ & '";
  page.title = hostile;
  page.subtitle = std::string("control \x01 and \x7F, cut \xC3, \xEF\xBF\xBF and NUL ") + '\0';
  page.subjects[0].class_names = {hostile, "@SCRIPT@ @DATA@"};
  const std::string json = report_json(page);
  EXPECT_THAT(json, Not(HasSubstr("<")));
  EXPECT_THAT(json, Not(HasSubstr("\xE2\x80\xA8")));
  EXPECT_THAT(json, Not(HasSubstr("\xE2\x80\xA9")));
  const Json document = Json::parse(json);
  EXPECT_EQ(document.at("title"), hostile);
  EXPECT_EQ(document.at("subtitle"), "control   and  , cut \xEF\xBF\xBD, \xEF\xBF\xBD and NUL  ");
  EXPECT_EQ(document.at("subjects").at(0).at("class_names").at(1), "@SCRIPT@ @DATA@");

  const std::string html = report_html(page);
  EXPECT_THAT(html, HasSubstr("<title>&lt;/script&gt;&lt;!-- "));
  std::size_t n_ends = 0;
  for (std::size_t at = html.find("</script"); at != std::string::npos; at = html.find("</script", at + 1))
    ++n_ends;
  EXPECT_EQ(n_ends, 3U); // the data, D3 and our own
}

RC_GTEST_PROP(ReportPage, AnyBytesGiveValidHarmlessJson, (const std::string& bytes)) {
  ReportPage page = small_page();
  page.subtitle = bytes;
  page.subjects[0].class_names[1] = bytes;
  const std::string json = report_json(page);
  RC_ASSERT(json.find('<') == std::string::npos);
  RC_ASSERT(Json::accept(json));
}

TEST(ReportPage, IsOneFileThatAsksForNothing) {
  const std::string html = report_html(small_page());
  EXPECT_TRUE(html.starts_with("<!DOCTYPE html>"));
  EXPECT_THAT(html, HasSubstr("default-src 'none'"));
  EXPECT_THAT(html, Not(HasSubstr(" src=")));
  EXPECT_THAT(html, Not(HasSubstr("@SCRIPT@")));
  EXPECT_THAT(html, HasSubstr("Redistributions of source code must retain"));
  EXPECT_LT(html.size(), 500'000U);
}

TEST(ReportPage, AnEmptyPageIsAPage) {
  EXPECT_TRUE(Json::accept(report_json({})));
  EXPECT_THAT(report_html({}), HasSubstr("</html>"));
}

TEST(KappaPositions, RiseAndHoldKappaItself) {
  std::vector<double> ratios;
  for (int i = 0; i < 1000; ++i) ratios.push_back(-5.0 + 0.01 * i);
  ratios.push_back(-1e300);
  ratios.push_back(infinity);
  ratios.push_back(nan);
  const double kappa = 0.123456789;
  const std::vector<double> positions = kappa_positions(kappa, ratios);
  EXPECT_GE(positions.size(), 100U);
  EXPECT_LE(positions.size(), 400U);
  EXPECT_NE(std::find(positions.begin(), positions.end(), kappa), positions.end());
  for (std::size_t i = 1; i < positions.size(); ++i) EXPECT_LT(positions[i - 1], positions[i]);
  EXPECT_LT(positions.front(), -4.0);
  EXPECT_GT(positions.back(), 4.9);
}

TEST(KappaPositions, ThereAreNoneWithoutNumbers) {
  EXPECT_TRUE(kappa_positions(nan, {1.0, 2.0}).empty());
  EXPECT_TRUE(kappa_positions(-infinity, {1.0, 2.0}).empty());
  EXPECT_TRUE(kappa_positions(0.0, {infinity, nan}).empty());
  EXPECT_TRUE(kappa_positions(0.0, {}).empty());
}

TEST(KappaPositions, ExtremeNumbersStayFinite) {
  for (const double kappa : {0.0, -1e200, 1e-300}) {
    const std::vector<double> positions = kappa_positions(kappa, {-1e308, 1e308, 0.0});
    ASSERT_GE(positions.size(), 3U);
    for (std::size_t i = 1; i < positions.size(); ++i) {
      EXPECT_TRUE(std::isfinite(positions[i]));
      EXPECT_LT(positions[i - 1], positions[i]);
    }
  }
}

RC_GTEST_PROP(KappaPositions, CountsAreThoseOfTheDefinition, (std::vector<double> ratios, double kappa)) {
  for (std::size_t i = 0; i < ratios.size(); i += 7) ratios[i] = nan;
  for (std::size_t i = 1; i < ratios.size(); i += 5) ratios[i] = kappa; // ties
  const std::vector<double> positions = kappa_positions(kappa, ratios);
  const ReportRowCounts counts = count_informative("rows", ratios, positions);
  RC_ASSERT(counts.n_rows == static_cast<Index>(ratios.size()));
  RC_ASSERT(counts.n_informative.size() == positions.size());
  for (std::size_t p = 0; p < positions.size(); ++p) {
    Index n = 0;
    for (const double ratio : ratios) n += ratio > positions[p] ? 1 : 0;
    RC_ASSERT(counts.n_informative[p] == n);
    if (p > 0) RC_ASSERT(positions[p - 1] < positions[p]);
  }
}

} // namespace
} // namespace lacuna
