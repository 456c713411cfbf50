#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <thread>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "lacuna/core/errors.hpp"
#include "lacuna/core/random.hpp"
#include "lacuna/pipeline/documents.hpp"
#include "lacuna/pipeline/fit.hpp"
#include "tests/expect_error.hpp"
#include "tests/temporary_folder.hpp"

// A fit whose unlabeled rows pass by must give the model of a fit that has them all in memory: to rounding
// errors where a stage looks at all rows or at rows drawn by their numbers, and in law where it looks at the
// rows that stayed in memory (docs/streaming.md).

namespace lacuna::streamed_fit_test {
namespace {

constexpr Index n_rows = 60'000;

/// Three clouds, two classes. Of the left ones one row in 40 has a label, of those above none.
std::string table_csv(bool has_gaps, bool has_tail = false) {
  std::string text = "x,z,u,y\n";
  for (Index i = 0; i < n_rows; ++i) {
    RandomStream random(11, RandomPurpose::simulation, static_cast<std::uint64_t>(i));
    const Index cloud = i % 3;
    const double x = (cloud == 0 ? -2.0 : 2.0) + random.normal();
    const double z = (cloud == 2 ? 4.0 : 0.0) + random.normal();
    const double u = has_tail ? std::exp(2.0 * random.normal()) : 0.5 * x + random.normal();
    const bool labeled = cloud != 2 && random.uniform() < 0.025;
    text += fmt::format("{},{},{},{}\n", x, has_gaps && random.uniform() < 0.1 ? "" : fmt::format("{}", z), u,
                        labeled ? (cloud == 0 ? "a" : "b") : "");
  }
  return text;
}

FitRequest request_for(const TemporaryFolder& folder) {
  FitRequest request;
  request.path = folder.path("train.csv");
  request.label = "y";
  request.density = VbMixtureOptions{.components = 4, .max_iterations = 60};
  request.threads = 2;
  return request;
}

Model fit_within(FitRequest request, std::optional<double> memory) {
  request.memory = memory;
  return fit_table(request, silent_observer());
}

/// Rows all over the plane, also where none was.
Matrix questions() {
  Matrix rows(2000, 3);
  for (Index i = 0; i < rows.n_rows(); ++i) {
    RandomStream random(12, RandomPurpose::simulation, static_cast<std::uint64_t>(i));
    for (Index j = 0; j < 3; ++j) rows(i, j) = 4.0 * random.normal();
  }
  return rows;
}

/// Between the class probabilities of two models.
std::vector<double> differences_of(const Model& a, const Model& b) {
  const Matrix rows = questions();
  const Scores of_a = a.score(rows.view());
  const Scores of_b = b.score(rows.view());
  std::vector<double> differences;
  for (std::size_t i = 0; i < of_a.posterior.values().size(); ++i)
    differences.push_back(std::abs(of_a.posterior.values()[i] - of_b.posterior.values()[i]));
  return differences;
}

double difference(const Model& a, const Model& b) {
  return std::ranges::max(differences_of(a, b));
}

TEST(StreamedFit, AStackIsThatOfAFitInMemory) {
  const TemporaryFolder folder;
  for (const bool has_gaps : {false, true}) {
    write_content(folder.path("train.csv"), table_csv(has_gaps));
    const FitRequest request = request_for(folder);
    const Model in_memory = fit_within(request, {});
    const Model streamed = fit_within(request, 1.0);
    const FitSummary& a = in_memory.record.summary;
    const FitSummary& b = streamed.record.summary;
    EXPECT_EQ(a.n_kept_unlabeled, 0);
    EXPECT_LT(b.n_kept_unlabeled, b.n_unlabeled - 15'000) << "rows must be left out";
    EXPECT_EQ(a.n_unlabeled, b.n_unlabeled);
    EXPECT_EQ(a.class_counts, b.class_counts);
    EXPECT_EQ(a.n_informative, b.n_informative);
    EXPECT_NEAR(a.kappa, b.kappa, 1e-6);
    EXPECT_NEAR(a.informative_weight, b.informative_weight, 1e-9);
    EXPECT_NEAR(a.stack.log_likelihood, b.stack.log_likelihood, 1e-6);
    EXPECT_LT(difference(in_memory, streamed), 1e-6);
  }
}

TEST(StreamedFit, NeitherThreadsNorFilesChangeABit) {
  const TemporaryFolder folder;
  const std::string text = table_csv(false);
  write_content(folder.path("train.csv"), text);
  FitRequest request = request_for(folder);
  request.conditional = ConditionalForm::densities;
  const std::vector<char> expected = encode_model(fit_within(request, 1.0));
  request.threads = 1;
  EXPECT_EQ(encode_model(fit_within(request, 1.0)), expected);
  const std::size_t header = text.find('\n') + 1;
  const std::size_t cut = text.find('\n', text.size() / 3) + 1;
  write_content(folder.path("part-1.csv"), text.substr(0, cut));
  write_content(folder.path("part-2.csv"), text.substr(0, header) + text.substr(cut));
  request.path = folder.path("part-*.csv");
  EXPECT_EQ(encode_model(fit_within(request, 1.0)), expected);
}

TEST(StreamedFit, TheBarMovesWithThePassesOfTheMixture) {
  class Watcher : public Observer {
  public:
    void progress(std::string_view stage, double done, double total) override {
      EXPECT_EQ(std::this_thread::get_id(), thread);
      const std::string text(stage);
      if (text.find("mixture of the unlabeled rows: pass ") == text.npos) return;
      EXPECT_EQ(total, static_cast<double>(n_rows));
      EXPECT_LE(done, total);
      if (stages.empty() || stages.back() != text) stages.push_back(text);
    }
    std::thread::id thread = std::this_thread::get_id();
    std::vector<std::string> stages;
  };
  const TemporaryFolder folder;
  write_content(folder.path("train.csv"), table_csv(false));
  FitRequest request = request_for(folder);
  request.memory = 1.0;
  Watcher watcher;
  const Model model = fit_table(request, watcher);
  Index n_iterations = 0;
  for (const DensityRecord& density : model.record.summary.densities)
    if (density.name == "initial unlabeled") n_iterations = density.n_iterations;
  ASSERT_GT(n_iterations, 1);
  EXPECT_GT(static_cast<Index>(watcher.stages.size()), n_iterations);
  for (std::size_t pass = 0; pass < watcher.stages.size(); ++pass)
    EXPECT_EQ(watcher.stages[pass], fmt::format("mixture of the unlabeled rows: pass {}", pass + 1));
}

/// Class densities learn from the rows that stayed in memory, each for those like it: what a model says
/// differs by what the draw of these rows leaves open.
TEST(StreamedFit, MethodsOfDensitiesAloneLearnFromTheSample) {
  const TemporaryFolder folder;
  write_content(folder.path("train.csv"), table_csv(false));
  FitRequest request = request_for(folder);
  request.conditional = ConditionalForm::densities;
  request.draws = SoftLabels{};
  for (const Method method : {Method::supervised, Method::mcar_sampling, Method::mcar_em, Method::mar}) {
    request.method = method;
    const Model in_memory = fit_within(request, {});
    const Model streamed = fit_within(request, 1.0);
    EXPECT_EQ(in_memory.record.summary.n_informative, streamed.record.summary.n_informative);
    EXPECT_NEAR(in_memory.record.summary.informative_weight, streamed.record.summary.informative_weight,
                0.01);
    const std::vector<double> differences = differences_of(in_memory, streamed);
    const double mean = std::accumulate(differences.begin(), differences.end(), 0.0) /
                        static_cast<double>(differences.size());
    EXPECT_LT(mean, method == Method::supervised ? 1e-6 : 0.02) << to_string(method);
  }
}

TEST(StreamedFit, ShapesComeFromTheSampleToo) {
  const TemporaryFolder folder;
  write_content(folder.path("train.csv"), table_csv(false, true));
  const FitRequest request = request_for(folder);
  const Model in_memory = fit_within(request, {});
  const Model streamed = fit_within(request, 1.0);
  ASSERT_FALSE(streamed.record.notes.empty()) << "the column is difficult";
  EXPECT_EQ(in_memory.record.notes, streamed.record.notes);
  EXPECT_LT(difference(in_memory, streamed), 0.1);
}

TEST(StreamedFit, MapsAndOtherFamiliesSeeTheSample) {
  const TemporaryFolder folder;
  write_content(folder.path("train.csv"), table_csv(false));
  FitRequest request = request_for(folder);
  request.conditional = ConditionalForm::densities;
  request.method = Method::supervised;
  request.features = parse_features("standardize,pca:2");
  EXPECT_LT(difference(fit_within(request, {}), fit_within(request, 1.0)), 0.05);
  request.features = {};
  request.density = GmmOptions{.components = 3};
  EXPECT_LT(difference(fit_within(request, {}), fit_within(request, 1.0)), 1e-6);
}

TEST(StreamedFit, AGapThatTheFamilyCannotTakeIsFoundAmongAllRows) {
  const TemporaryFolder folder;
  write_content(folder.path("train.csv"), table_csv(true));
  FitRequest request = request_for(folder);
  request.density = "gmm";
  test::expect_error(ErrorKind::data, {"needs complete rows"}, [&] { fit_within(request, 1.0); });
}

TEST(StreamedFit, MemoryDecides) {
  const TemporaryFolder folder;
  write_content(folder.path("train.csv"), table_csv(false));
  FitRequest request = request_for(folder);
  request.method = Method::supervised;
  const Model in_memory = fit_within(request, 0x1p30);
  EXPECT_EQ(in_memory.record.summary.n_kept_unlabeled, 0);
  EXPECT_EQ(in_memory.record.option("memory"), "1G");
  const Model streamed = fit_within(request, 1.0);
  EXPECT_GT(streamed.record.summary.n_kept_unlabeled, 20'000);
  const std::vector<char> bytes = encode_model(streamed);
  const Model read = decode_model({bytes.data(), bytes.size()}, "model");
  EXPECT_EQ(read.record.summary.n_kept_unlabeled, streamed.record.summary.n_kept_unlabeled);
}

} // namespace
} // namespace lacuna::streamed_fit_test
