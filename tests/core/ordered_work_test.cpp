#include "core/ordered_work.hpp"

#include <atomic>
#include <functional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "lacuna/core/errors.hpp"

namespace lacuna {
namespace {

class ThreadedOrder : public testing::TestWithParam<int> {
protected:
  /// Squares of 0 .. n-1, by pieces of one number.
  void run(Index n) {
    std::vector<Index> places(static_cast<std::size_t>(ordered_places(GetParam())));
    const auto at = [&](Index place) -> Index& { return places.at(static_cast<std::size_t>(place)); };
    work_in_order(GetParam(), {.read =
                                   [&](Index place) {
                                     if (before_read) before_read(n_read);
                                     if (n_read == n) return false;
                                     at(place) = n_read++;
                                     return true;
                                   },
                               .work =
                                   [&](Index place) {
                                     if (before_work) before_work(at(place));
                                     at(place) *= at(place);
                                     ++n_worked;
                                   },
                               .write = [&](Index place) { written.push_back(at(place)); }});
  }
  void expect_written(Index n) const {
    ASSERT_EQ(static_cast<Index>(written.size()), n);
    for (Index i = 0; i < n; ++i) EXPECT_EQ(written[static_cast<std::size_t>(i)], i * i);
  }

  std::function<void(Index)> before_read;
  std::function<void(Index)> before_work;
  Index n_read = 0;
  std::atomic<Index> n_worked{0};
  std::vector<Index> written;
};
INSTANTIATE_TEST_SUITE_P(Threads, ThreadedOrder, testing::Values(1, 2, 3, 8));

TEST_P(ThreadedOrder, EveryPieceIsWrittenInTheOrderOfReading) {
  for (const Index n : {0, 1, 2, 5, 24, 25, 1000}) {
    n_read = 0;
    written.clear();
    // Pieces take different times, so that those behind are done first.
    before_work = [](Index piece) {
      std::atomic<Index> spin{0};
      while (spin < (piece % 7) * 300) ++spin;
    };
    run(n);
    expect_written(n);
  }
}

TEST_P(ThreadedOrder, PiecesBeforeWhatCannotBeReadAreWritten) {
  before_read = [](Index piece) {
    if (piece == 17) throw Error(ErrorKind::data, "no piece 17");
  };
  EXPECT_THROW(run(100), Error);
  expect_written(17);
}

TEST_P(ThreadedOrder, TheFirstFailureByTheOrderOfThePiecesIsTold) {
  before_read = [](Index piece) {
    if (piece == 20) throw Error(ErrorKind::data, "reading 20");
  };
  before_work = [](Index piece) {
    if (piece == 13 || piece == 19) throw Error(ErrorKind::data, "working on " + std::to_string(piece));
  };
  try {
    run(100);
    FAIL() << "nothing was thrown";
  } catch (const Error& error) {
    EXPECT_EQ(error.parts().statement, "working on 13");
  }
  expect_written(13);
}

TEST_P(ThreadedOrder, AnInterruptionIsToldAtOnce) {
  before_read = [&](Index piece) {
    if (piece == 3) throw Error(ErrorKind::interrupted, "interrupted");
  };
  EXPECT_THROW(run(100), Error);
  EXPECT_LE(written.size(), 3U);
}

TEST_P(ThreadedOrder, NoMorePiecesAreReadThanThereArePlaces) {
  before_read = [&](Index piece) {
    EXPECT_LE(piece - static_cast<Index>(written.size()), ordered_places(GetParam()));
  };
  run(200);
  expect_written(200);
}

} // namespace
} // namespace lacuna
