#include <algorithm>
#include <cmath>
#include <csignal>
#include <set>

#include <fmt/format.h>
#include <sys/resource.h>

#include "data/large_table.hpp"
#include "data/whole_table.hpp"
#include "lacuna/core/random.hpp"
#include "tests/data/files.hpp"
#include "tests/temporary_folder.hpp"

namespace lacuna::large_table_test {
namespace {

using test::expect_error;
using test::labels_in;
using test::TempFile;

/// `n` rows of a number, a gap now and then, a word, and a label for every tenth.
std::string csv(Index n) {
  std::string text = "x,word,y\n";
  for (Index i = 0; i < n; ++i)
    text += fmt::format("{},{},{}\n", i % 7 == 3 ? "" : std::to_string(i), i % 2 == 0 ? "even" : "odd",
                        i % 10 == 0 ? (i % 20 == 0 ? "a" : "b") : "");
  return text;
}

RowChoice draws_of(std::vector<RowDraw> draws) {
  return [draws](const TableSize&) { return draws; };
}

TrainingTable read(const std::string& path, const RowChoice& choose) {
  TableOptions options = labels_in("y");
  options.code_categories = true;
  return read_training_table(path, {}, options, choose, {}, silent_observer());
}

/// Notes the rows that pass by, and what is said of them.
class Witness : public RowPass {
public:
  void add(const PassingRows& rows, int /*threads*/, const Observer& /*observer*/) override {
    EXPECT_EQ(rows.first, n_rows);
    EXPECT_EQ(rows.n_labeled_before, static_cast<Index>(labeled.size()));
    n_rows += rows.rows.size();
    const MatrixView features = rows.rows.features();
    values.insert(values.end(), features.data, features.data + features.n_rows * features.n_cols);
    labeled.insert(labeled.end(), rows.labeled.begin(), rows.labeled.end());
    for (Index i = rows.first; i < n_rows; ++i) n_told += rows.is_labeled(i) ? 1 : 0;
  }
  std::string kind() const override { return "witness"; }
  void save(Archive& /*archive*/, const std::string& /*prefix*/) const override {}
  void save_counts(Archive& /*archive*/) const override {}
  void add_counts(const Archive& /*archive*/) override {}

  Index n_rows = 0;
  Index n_told = 0; ///< labeled, by is_labeled
  std::vector<double> values;
  std::vector<Index> labeled;
};

Witness witness_of(const Dataset& data) {
  Witness witness;
  show_all(DatasetView(data), witness, 1, silent_observer());
  return witness;
}

/// The same numbers, or both missing.
void expect_same(std::span<const double> a, std::span<const double> b) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i)
    EXPECT_TRUE(a[i] == b[i] || (std::isnan(a[i]) && std::isnan(b[i])));
}

TEST(LargeTable, LabeledRowsAndDrawsStayTheRestPassesBy) {
  const TempFile file(csv(1000));
  const TrainingTable all = read(file.path(), {});
  EXPECT_EQ(all.data.whole, nullptr);
  const TrainingTable part = read(file.path(), draws_of({{7, 60}, {8, 30}}));
  ASSERT_NE(part.data.whole, nullptr);
  const WholeTable& whole = *part.data.whole;
  EXPECT_EQ(whole.n_rows(), 1000);
  EXPECT_EQ(whole.n_unlabeled(), 900);
  EXPECT_EQ(part.notes, all.notes);
  EXPECT_EQ(part.data.class_names, all.data.class_names);
  EXPECT_EQ(part.data.levels, all.data.levels);

  // Which rows are kept follows from their keys alone.
  std::set<Index> expected;
  for (Index i = 0; i < 1000; i += 10) expected.insert(i);
  for (const RowDraw& draw : {RowDraw{7, 60}, RowDraw{8, 30}}) {
    std::vector<std::pair<std::uint64_t, Index>> keyed;
    for (Index i = 0; i < 1000; ++i)
      if (i % 10 != 0) keyed.emplace_back(draw_key(draw.seed, i), i);
    std::sort(keyed.begin(), keyed.end());
    for (Index k = 0; k < draw.most; ++k) expected.insert(keyed[static_cast<std::size_t>(k)].second);
  }
  std::vector<Index> numbers;
  const DatasetView view(part.data);
  for (Index i = 0; i < view.n_rows(); ++i) {
    const Index number = view.number(i);
    numbers.push_back(number);
    expect_same({view.features.row(i), 2}, {all.data.features.row(number), 2});
    EXPECT_EQ(view.labels[static_cast<std::size_t>(i)], all.data.labels[static_cast<std::size_t>(number)]);
  }
  EXPECT_EQ(numbers, std::vector<Index>(expected.begin(), expected.end()));
  EXPECT_EQ(whole.n_kept_unlabeled(), static_cast<Index>(expected.size()) - 100);
}

TEST(LargeTable, AllRowsPassByInOrder) {
  const Index n = 150'000; // three blocks
  const TempFile file(csv(n));
  const TrainingTable all = read(file.path(), {});
  const TrainingTable part = read(file.path(), draws_of({{1, 5}}));
  std::vector<Index> labeled;
  for (Index i = 0; i < n; i += 10) labeled.push_back(i);
  for (const Dataset* data : {&all.data, &part.data}) {
    const Witness witness = witness_of(*data);
    EXPECT_EQ(witness.n_rows, n);
    expect_same(witness.values, all.data.features.values());
    EXPECT_EQ(witness.labeled, labeled);
    EXPECT_EQ(witness.n_told, n / 10);
  }
}

TEST(LargeTable, ALargerDrawHoldsASmallerOne) {
  const TempFile file(csv(5000));
  const auto numbers = [&](Index most) {
    const TrainingTable part = read(file.path(), draws_of({{3, most}}));
    std::set<Index> found;
    for (Index i = 0; i < part.data.n_rows(); ++i) found.insert(part.data.whole->number(i));
    return found;
  };
  const std::set<Index> few = numbers(100);
  const std::set<Index> many = numbers(1500);
  EXPECT_EQ(few.size(), 500U + 100U);
  EXPECT_EQ(many.size(), 500U + 1500U);
  EXPECT_TRUE(std::includes(many.begin(), many.end(), few.begin(), few.end()));
  EXPECT_EQ(numbers(10'000).size(), 5000U) << "there are no more";
}

TEST(LargeTable, SeveralFilesGiveTheRowsOfOne) {
  const TemporaryFolder folder;
  const std::string text = csv(300);
  const std::size_t header = text.find('\n') + 1;
  const std::size_t cut = text.find('\n', text.size() / 2) + 1;
  write_content(folder.path("p-1.csv"), text.substr(0, cut));
  write_content(folder.path("p-2.csv"), text.substr(0, header) + text.substr(cut));
  write_content(folder.path("whole.csv"), text);
  const TrainingTable joined = read(folder.path("p-*"), draws_of({{1, 20}}));
  const TrainingTable one = read(folder.path("whole.csv"), draws_of({{1, 20}}));
  expect_same(joined.data.features.values(), one.data.features.values());
  EXPECT_EQ(joined.data.labels, one.data.labels);
  expect_same(witness_of(joined.data).values, witness_of(one.data).values);
}

TEST(LargeTable, AGapIsToldByItsNumberInTheTable) {
  const TempFile file(csv(100));
  const TrainingTable part = read(file.path(), draws_of({{1, 1}}));
  expect_error(ErrorKind::data, {"row 4", "'x'", "pca needs complete rows"}, [&] {
    require_complete(DatasetView(part.data), {"x", "word"}, "pca");
  });
}

/// Rewrites a table when its first pass is over.
void change_between_passes(const TempFile& file, const std::string& second) {
  expect_error(ErrorKind::data, {"changed while it was read"}, [&] {
    read(file.path(), [&](const TableSize&) {
      file.rewrite(second);
      return std::optional(std::vector<RowDraw>{{1, 5}});
    });
  });
}

TEST(LargeTable, ATableThatChangesBetweenPassesIsRefused) {
  // The second pass is open by then, and what it reads is what there is.
  const TempFile file(csv(40'000));
  change_between_passes(file, csv(39'000));
}

TEST(LargeTable, NoRoomForTheRowsIsAnError) {
  const TempFile file(csv(200'000));
  // Files may not grow beyond a megabyte: what a full disk would be.
  rlimit before{};
  getrlimit(RLIMIT_FSIZE, &before);
  const rlimit small{1U << 20U, before.rlim_max};
  std::signal(SIGXFSZ, SIG_IGN);
  setrlimit(RLIMIT_FSIZE, &small);
  expect_error(ErrorKind::cannot_write, {"a temporary file for the rows", "TMPDIR"}, [&] {
    read(file.path(), draws_of({{1, 5}}));
  });
  setrlimit(RLIMIT_FSIZE, &before);
  EXPECT_NO_THROW(read(file.path(), draws_of({{1, 5}})));
}

TEST(LargeTable, AFolderThatIsNotThereIsAnError) {
  const TempFile file(csv(20));
  const char* const before = std::getenv("TMPDIR");
  const std::string kept = before != nullptr ? before : "";
  setenv("TMPDIR", "/no/such/folder", 1);
  expect_error(ErrorKind::cannot_write, {"/no/such/folder", "TMPDIR"}, [&] {
    read(file.path(), draws_of({{1, 5}}));
  });
  if (before != nullptr)
    setenv("TMPDIR", kept.c_str(), 1);
  else
    unsetenv("TMPDIR");
}

TEST(LargeTable, ReadingCanBeStopped) {
  class Stop : public Observer {
  public:
    bool cancelled() const override { return ++n_asked_ > 4; }

  private:
    mutable int n_asked_ = 0;
  };
  const TempFile file(csv(50'000));
  Stop stop;
  TableOptions options = labels_in("y");
  expect_error(ErrorKind::interrupted, {}, [&] {
    read_training_table(file.path(), {}, options, draws_of({{1, 5}}), {}, stop);
  });
}

} // namespace
} // namespace lacuna::large_table_test
