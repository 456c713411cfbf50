#include "lacuna/core/errors.hpp"

#include <regex>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/interruption.hpp"
#include "lacuna/core/observer.hpp"
#include "lacuna/core/version.hpp"
#include "tests/expect_error.hpp"

namespace {

using lacuna::Error;
using lacuna::ErrorKind;
using testing::HasSubstr;

TEST(Error, KeepsKindAndText) {
  const Error error(ErrorKind::config, "line 3");
  EXPECT_EQ(error.kind(), ErrorKind::config);
  EXPECT_STREQ(error.what(), "line 3");
}

std::string dashed(std::string_view option) {
  return "--" + std::string(option);
}

TEST(Error, PutsItsPartsIntoOneText) {
  const Error error(ErrorKind::data,
                    {.place = {.file = "a.csv", .row = 3, .line = 4, .column = "age"},
                     .option = "",
                     .statement = "a number is too large",
                     .found = "1e300",
                     .expected = "at most 1e100",
                     .remedy = "mend the cell, or " + lacuna::mention("drop") + " the column"});
  EXPECT_STREQ(error.what(), "'a.csv', row 3 (line 4), column 'age': a number is too large; got 1e300, "
                             "expected at most 1e100; mend the cell, or drop the column");
  EXPECT_THAT(error.text(dashed), HasSubstr("or --drop the column"));
  EXPECT_EQ(error.parts().place.column, "age");
}

TEST(Error, ShowsAnOptionAsTheReaderWritesIt) {
  const Error error(ErrorKind::usage, {.place = {},
                                       .option = "folds",
                                       .statement = "",
                                       .found = "1",
                                       .expected = "at least 2",
                                       .remedy = ""});
  EXPECT_STREQ(error.what(), "folds: got 1, expected at least 2");
  EXPECT_EQ(error.text(dashed), "--folds: got 1, expected at least 2");
}

TEST(Mention, AnOpenMarkIsNotShown) {
  EXPECT_EQ(lacuna::with_options("a\x1f"
                                 "b",
                                 dashed),
            "ab");
  EXPECT_EQ(lacuna::with_options("use " + lacuna::mention("x") + "!", dashed), "use --x!");
}

TEST(Error, AZeroByteEndsNoText) {
  using namespace std::string_literals;
  lacuna::ErrorParts parts;
  parts.place.file = "a\0b"s;
  parts.statement = "it is lost";
  EXPECT_STREQ(lacuna::Error(lacuna::ErrorKind::no_input, parts).what(), R"('a\x00b': it is lost)");
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

TEST(Interruptible, LongStepsAskTheInnermostObserver) {
  class Cancelled : public lacuna::Observer {
    bool cancelled() const override { return true; }
  } cancelled;
  EXPECT_NO_THROW(lacuna::stop_if_asked());
  {
    const lacuna::Interruptible outer(&cancelled);
    lacuna::test::expect_error(ErrorKind::interrupted, {}, [] { lacuna::stop_if_asked(); });
    {
      const lacuna::Interruptible inner(&lacuna::silent_observer());
      EXPECT_NO_THROW(lacuna::stop_if_asked());
    }
    EXPECT_EQ(lacuna::Interruptible::observer(), &cancelled);
  }
  EXPECT_EQ(lacuna::Interruptible::observer(), nullptr);
}

TEST(Version, HasThreeNumbers) {
  EXPECT_TRUE(std::regex_match(lacuna::version(), std::regex(R"(\d+\.\d+\.\d+)")));
}

} // namespace
