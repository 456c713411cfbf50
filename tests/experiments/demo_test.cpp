#include "experiments/demo.hpp"

#include <filesystem>
#include <fstream>
#include <iterator>

#include <gtest/gtest.h>

#include "tests/expect_error.hpp"
#include "tests/temporary_folder.hpp"

namespace lacuna {
namespace {

DemoResult made_up(const std::string& toy, Method method, double overconfidence) {
  DemoResult result{toy, method, {}, {}};
  result.labeled.error_rate = 0.012;
  result.never_labeled.error_rate = 0.75;
  result.never_labeled.mean_error_probability = 0.75 - overconfidence;
  result.never_labeled.overconfidence = overconfidence;
  return result;
}

DemoOutcome made_up(double mar, double mcar) {
  DemoOutcome outcome;
  for (const char* toy : {"quadrants", "coin"})
    outcome.results.insert(outcome.results.end(),
                           {made_up(toy, Method::mar, mar), made_up(toy, Method::mcar_sampling, mcar),
                            made_up(toy, Method::supervised, mcar)});
  return outcome;
}

TEST(DemoVerdict, FollowsTheNumbers) {
  const std::string better = demo_verdict(made_up(0.05, 0.60));
  EXPECT_NE(better.find("mar is less overconfident (0.05 against 0.60)"), std::string::npos) << better;
  EXPECT_NE(better.find("mcar-sampling is wrong in 75 % of the rows and expects 15 %"), std::string::npos)
      << better;
  const std::string worse = demo_verdict(made_up(0.60, 0.05));
  EXPECT_NE(worse.find("mar is MORE overconfident (0.60 against 0.05)"), std::string::npos) << worse;
  const std::string same = demo_verdict(made_up(0.30, 0.305));
  EXPECT_NE(same.find("both are equally overconfident"), std::string::npos) << same;
}

TEST(DemoVerdict, NeedsResultsToTalkAbout) {
  EXPECT_THROW(demo_verdict({}), Error);
}

TEST(Demo, WritesItsFilesTwiceButNeverOverOthers) {
  const TemporaryFolder folder;
  DemoRequest request;
  request.out = folder.path("demo");
  const DemoOutcome first = run_demo(request, silent_observer());
  ASSERT_EQ(first.files.size(), 6U);
  EXPECT_EQ(first.results.size(), 8U);
  for (const std::string& file : first.files) EXPECT_TRUE(std::filesystem::is_regular_file(file)) << file;
  EXPECT_LT(std::filesystem::file_size(first.files[2]), 150'000U);
  EXPECT_NO_THROW(run_demo(request, silent_observer()));

  write_content(folder.path("demo/coin-train.csv"), "mine\n");
  EXPECT_THROW(run_demo(request, silent_observer()), Error);
  EXPECT_EQ(content_of(folder.path("demo/coin-train.csv")), "mine\n");
  request.force = true;
  run_demo(request, silent_observer());
  EXPECT_EQ(content_of(folder.path("demo/coin-train.csv")).substr(0, 12), "x1,x2,label\n");
}

TEST(Demo, SaysWhenTheFolderCannotBe) {
  const TemporaryFolder folder;
  write_content(folder.path("file"), "");
  DemoRequest request;
  request.out = folder.path("file/demo");
  test::expect_error(ErrorKind::cannot_write, {}, [&] { run_demo(request, silent_observer()); });
}

} // namespace
} // namespace lacuna
