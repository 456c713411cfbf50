#include "pipeline/remote_table.hpp"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "data/gather_pass.hpp"
#include "data/moments_pass.hpp"
#include "density/mixture_passes.hpp"
#include "lacuna/core/random.hpp"
#include "model_io/archive_file.hpp"
#include "pipeline/mapped_table.hpp"
#include "tests/expect_error.hpp"

namespace lacuna::remote_table_test {
namespace {

using test::expect_error;

constexpr double gap = std::numeric_limits<double>::quiet_NaN();

/// A table of two numbers with gaps far from zero and a category; every fifth row has a label.
struct Table {
  explicit Table(Index n) : rows(n, 3) {
    RandomStream random(4, RandomPurpose::simulation, 0);
    for (Index i = 0; i < n; ++i) {
      rows(i, 0) = 1e6 + random.normal();
      rows(i, 1) = i % 7 == 2 ? gap : static_cast<double>(i % 3) * 4.0 + random.normal();
      rows(i, 2) = static_cast<double>(i % 2);
      if (i % 5 == 0) labeled.push_back(i);
    }
  }

  /// Calls of count_part for parts that end at these rows.
  AskParts parts(std::vector<Index> ends) const {
    return [this, ends](const std::string& /*kind*/, std::string_view question,
                        const std::function<void(std::string_view)>& take, const Observer& /*observer*/) {
      Index first = 0;
      auto next = labeled.begin();
      for (const Index end : ends) {
        const auto past = std::lower_bound(next, labeled.end(), end);
        const std::vector<char> counts = count_part(
            question,
            {rows.view().middle_rows(first, end - first), first, {next, past}, next - labeled.begin()});
        take({counts.data(), counts.size()});
        first = end;
        next = past;
      }
    };
  }
  void show(RowPass& pass, std::vector<Index> ends) const {
    RemoteTable(rows.n_rows(), {}, labeled, parts(std::move(ends))).show(pass, 1, silent_observer());
  }
  void show_here(RowPass& pass) const {
    pass.add({.rows = WeightedRows(rows.view()), .labeled = labeled}, 1, silent_observer());
  }

  Matrix rows;
  std::vector<Index> labeled;
};

void expect_near(const std::vector<double>& a, const std::vector<double>& b, double tolerance = 1e-12) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) EXPECT_NEAR(a[i], b[i], tolerance * (1.0 + std::abs(b[i]))) << i;
}

TEST(RemoteTable, MomentsOfPartsAreThoseOfAllRows) {
  const Table table(1000);
  MomentsPass here;
  table.show_here(here);
  const RowMoments expected = here.result();
  // The first parts have no gap, one part has no row.
  for (const std::vector<Index>& ends : {std::vector<Index>{1000}, {2, 2, 300, 1000}, {999, 1000}}) {
    MomentsPass there;
    table.show(there, ends);
    const RowMoments found = there.result();
    EXPECT_EQ(found.weight, expected.weight);
    EXPECT_EQ(found.present, expected.present);
    expect_near(found.mean, expected.mean);
    expect_near(found.variance, expected.variance, 1e-10); // a mean of a million has so few digits
    EXPECT_EQ(found.low, expected.low);
    EXPECT_EQ(found.high, expected.high);
  }
}

TEST(RemoteTable, RowsAreGatheredByTheirNumbers) {
  const Table table(100);
  for (const std::vector<Index>& ends : {std::vector<Index>{100}, {1, 7, 8, 64, 100}}) {
    GatherPass pass(7);
    table.show(pass, ends);
    const Matrix rows = pass.take();
    ASSERT_EQ(rows.n_rows(), 15);
    for (Index i = 0; i < 15; ++i) EXPECT_EQ(rows(i, 0), table.rows(7 * i, 0));
  }
}

TEST(RemoteTable, AStartSampleIsTheSameWhereverItsRowsAre) {
  const Table table(most_start_rows + 5000);
  const Index n = table.rows.n_rows();
  const Frame frame = make_frame(WeightedRows(table.rows.view()), std::vector<Index>{0, 0, 2}, {}, {}, 0.0);
  SamplePass here(frame, 3, 0.0);
  table.show_here(here);
  const StartSample expected = here.result();
  ASSERT_EQ(expected.rows.n_rows(), most_start_rows);
  SamplePass there(frame, 3, 0.5 * static_cast<double>(n) / static_cast<double>(most_start_rows));
  table.show(there, {20'000, n});
  EXPECT_FALSE(there.is_short());
  const StartSample found = there.result();
  EXPECT_EQ(found.weights, expected.weights);
  for (Index i = 0; i < most_start_rows; ++i) ASSERT_EQ(found.rows(i, 0), expected.rows(i, 0));
  // Who asks for too few learns of it.
  SamplePass few(frame, 3, 100.0);
  table.show(few, {20'000, n});
  EXPECT_TRUE(few.is_short());
}

TEST(RemoteTable, AnEStepOfPartsIsThatOfAllRows) {
  const Table table(3000);
  const std::vector<Index> levels{0, 0, 2};
  const Frame frame = make_frame(WeightedRows(table.rows.view()), levels, {}, {}, 0.0);
  MixtureTerms terms;
  terms.constant = {-1.0, -0.5};
  terms.mean = Matrix(2, 2, {0.3, -1.0, -0.2, 1.0});
  terms.whitener = Matrix(2, 3, {1.0, 0.2, 1.5, 0.8, -0.1, 1.1});
  terms.log_level = Matrix(2, 3, {-0.7, -0.7, 0.0, -0.3, -1.3, 0.0});
  CollectPass here(frame, terms);
  table.show_here(here);
  const MixtureMoments expected = here.take();
  CollectPass there(frame, terms);
  table.show(there, {10, 1500, 3000});
  const MixtureMoments found = there.take();
  EXPECT_NEAR(found.log_likelihood, expected.log_likelihood, 1e-12 * std::abs(expected.log_likelihood));
  expect_near(found.zeroth, expected.zeroth);
  const auto values = [](const Matrix& m) {
    return std::vector<double>(m.values().begin(), m.values().end());
  };
  expect_near(values(found.first), values(expected.first));
  expect_near(values(found.second), values(expected.second));
  expect_near(values(found.levels), values(expected.levels));
  expect_near(values(found.lacking), values(expected.lacking));
}

TEST(RemoteTable, QuestionsAndAnswersThatAreNoneAreRefused) {
  const Table table(20);
  const TablePart part{table.rows.view(), 0, table.labeled, 0};
  expect_error(ErrorKind::data, {"a question"}, [&] { count_part("nonsense", part); });
  Archive archive;
  archive.put_text("kind", "nothing known");
  const std::vector<char> bytes = encode_archive(archive);
  expect_error(ErrorKind::data, {"names no pass"}, [&] { count_part({bytes.data(), bytes.size()}, part); });
  // An answer to another question.
  const RemoteTable strange(20, {}, {}, [&](const auto&, auto, const auto& take, const auto&) {
    Archive other;
    other.put("total_weight", 1.0);
    const std::vector<char> counts = encode_archive(other);
    take({counts.data(), counts.size()});
  });
  GatherPass gather(1);
  expect_error(ErrorKind::data, {"n_columns"}, [&] { strange.show(gather, 1, silent_observer()); });
}

} // namespace
} // namespace lacuna::remote_table_test
