#include "lacuna/core/errors.hpp"

#include <regex>
#include <string>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lacuna/core/observer.hpp"
#include "lacuna/core/version.hpp"
#include "tests/expect_error.hpp"

namespace {

using lacuna::Error;
using lacuna::ErrorKind;
using testing::HasSubstr;

TEST(ExitCode, IsTheDocumentedTable) {
  const std::pair<ErrorKind, int> table[] = {
      {ErrorKind::usage, 64},        {ErrorKind::data, 65},         {ErrorKind::no_input, 66},
      {ErrorKind::internal, 70},     {ErrorKind::cannot_write, 73}, {ErrorKind::config, 78},
      {ErrorKind::interrupted, 130},
  };
  for (const auto& [kind, code] : table) EXPECT_EQ(lacuna::exit_code(kind), code);
}

TEST(Error, KeepsKindAndText) {
  const Error error(ErrorKind::config, "line 3");
  EXPECT_EQ(error.kind(), ErrorKind::config);
  EXPECT_STREQ(error.what(), "line 3");
}

TEST(OptionChecks, SaysNothingWhenAllHolds) {
  lacuna::OptionChecks checks;
  checks.throw_if_any();
  checks.require(true, "components", "5", "at least 1");
  EXPECT_NO_THROW(checks.throw_if_any());
}

TEST(OptionChecks, ListsEveryViolationAtOnce) {
  lacuna::OptionChecks checks;
  checks.require(false, "components", "0", "at least 1");
  checks.require(true, "seed", "7", "a whole number");
  checks.require(false, "tolerance", "nan", "a number above 0");
  checks.require(false, "draws", "-2", "at least 1");
  try {
    checks.throw_if_any();
    FAIL() << "nothing was thrown";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::usage);
    EXPECT_THAT(error.what(), HasSubstr("components: got 0, expected at least 1"));
    EXPECT_THAT(error.what(), HasSubstr("tolerance: got nan, expected a number above 0"));
    EXPECT_THAT(error.what(), HasSubstr("draws: got -2, expected at least 1"));
    EXPECT_THAT(error.what(), testing::Not(HasSubstr("seed")));
  }
}

TEST(Observer, StopsTheWorkOnlyWhenCancelled) {
  struct Cancelled : lacuna::Observer {
    bool cancelled() const override { return true; }
  };
  EXPECT_NO_THROW(lacuna::stop_if_cancelled(lacuna::silent_observer()));
  lacuna::test::expect_error(ErrorKind::interrupted, {}, [] { lacuna::stop_if_cancelled(Cancelled()); });
}

TEST(Version, HasThreeNumbers) {
  EXPECT_TRUE(std::regex_match(lacuna::version(), std::regex(R"(\d+\.\d+\.\d+)")));
}

} // namespace
