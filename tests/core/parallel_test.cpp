#include "core/parallel.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <new>
#include <set>
#include <stdexcept>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace {

using lacuna::Index;
using lacuna::parallel_for;
using lacuna::RowBlocks;

class ParallelFor : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Threads, ParallelFor, testing::Values(1, 2, 8, 0));

TEST_P(ParallelFor, RunsEveryTaskOnce) {
  for (const Index n_tasks : {0, 1, 2, 7, 1000}) {
    std::vector<std::atomic<int>> runs(static_cast<std::size_t>(n_tasks));
    parallel_for(n_tasks, GetParam(), [&](Index i) { ++runs[static_cast<std::size_t>(i)]; });
    for (const auto& count : runs) EXPECT_EQ(count, 1);
  }
}

TEST_P(ParallelFor, OrderedReductionHasTheSameBits) {
  const auto sum = [](int threads) {
    std::vector<double> parts(500);
    parallel_for(500, threads,
                 [&](Index i) { parts[static_cast<std::size_t>(i)] = 1.0 / static_cast<double>(3 * i + 1); });
    double total = 0.0;
    for (const double part : parts) total += part;
    return total;
  };
  EXPECT_EQ(sum(GetParam()), sum(1));
}

// Every task throws. Task 0 always starts, so it is always the lowest that did.
TEST_P(ParallelFor, RethrowsTheExceptionOfTheLowestTask) {
  for (int repeat = 0; repeat < 50; ++repeat) {
    std::string caught;
    try {
      parallel_for(100, GetParam(), [](Index i) { throw std::runtime_error(std::to_string(i)); });
    } catch (const std::runtime_error& error) {
      caught = error.what();
    }
    EXPECT_EQ(caught, "0");
  }
}

// Task 1 throws first, task 0 only after it has seen that: the later one has the lower number and wins.
TEST(ParallelForOrder, ALaterExceptionOfALowerTaskWins) {
  std::atomic<bool> second_has_thrown{false};
  std::string caught;
  try {
    parallel_for(2, 2, [&](Index i) {
      if (i == 1) {
        second_has_thrown = true;
        throw std::runtime_error("1");
      }
      while (!second_has_thrown) std::this_thread::yield();
      throw std::runtime_error("0");
    });
  } catch (const std::runtime_error& error) {
    caught = error.what();
  }
  EXPECT_EQ(caught, "0");
}

TEST_P(ParallelFor, WaitsForAllThreadsAfterAFailure) {
  std::atomic<int> running{0};
  try {
    parallel_for(64, GetParam(), [&](Index i) {
      ++running;
      if (i == 3) {
        --running;
        throw std::runtime_error("three");
      }
      std::this_thread::sleep_for(std::chrono::microseconds(100));
      --running;
    });
    FAIL() << "the exception of task 3 was lost";
  } catch (const std::runtime_error& error) {
    EXPECT_STREQ(error.what(), "three");
  }
  EXPECT_EQ(running, 0);
}

TEST_P(ParallelFor, StartsNoFurtherTasksLongAfterAFailure) {
  std::atomic<Index> n_started{0};
  EXPECT_THROW(parallel_for(1'000'000, GetParam(),
                            [&](Index i) {
                              ++n_started;
                              if (i == 0) throw std::runtime_error("stop");
                              std::this_thread::sleep_for(std::chrono::milliseconds(1));
                            }),
               std::runtime_error);
  EXPECT_LT(n_started, 100'000); // running them all would take minutes
}

TEST_P(ParallelFor, CanBeUsedInsideItself) {
  std::vector<std::atomic<int>> runs(20 * 30);
  parallel_for(20, GetParam(), [&](Index i) {
    parallel_for(30, GetParam(), [&](Index j) { ++runs[static_cast<std::size_t>(30 * i + j)]; });
  });
  for (const auto& count : runs) EXPECT_EQ(count, 1);
  EXPECT_THROW(parallel_for(4, GetParam(),
                            [&](Index) {
                              parallel_for(4, GetParam(), [](Index) { throw std::runtime_error("inner"); });
                            }),
               std::runtime_error);
}

TEST(ParallelForThreads, UsesAsManyThreadsAsAsked) {
  // Four tasks that wait for each other can only end when four threads run at once.
  std::atomic<int> arrived{0};
  parallel_for(4, 4, [&](Index) {
    ++arrived;
    while (arrived < 4) std::this_thread::yield();
  });
  EXPECT_EQ(arrived, 4);
}

TEST(ParallelForThreads, LoopsInsideTakeThoseThatAreIdle) {
  // Two of the four threads are left to the loops inside, which end only when they get one each.
  std::atomic<int> arrived{0};
  parallel_for(2, 4, [&](Index) {
    parallel_for(2, 4, [&](Index) {
      ++arrived;
      while (arrived < 4) std::this_thread::yield();
    });
  });
  EXPECT_EQ(arrived, 4);
}

TEST(ParallelForThreads, LoopsInsideBringNoMore) {
  std::atomic<int> running{0};
  std::atomic<int> most{0};
  const auto work = [&](Index) {
    const int now = ++running;
    for (int seen = most; seen < now && !most.compare_exchange_weak(seen, now);) {
    }
    std::this_thread::sleep_for(std::chrono::microseconds(50));
    --running;
  };
  parallel_for(30, 3, [&](Index i) { parallel_for(i % 5 * 4, 8, [&](Index) { parallel_for(3, 0, work); }); });
  EXPECT_GT(most, 1);
  EXPECT_LE(most, 3);
}

TEST(ParallelSort, SortsOnAnyNumberOfThreads) {
  for (const std::size_t n : {0UL, 1UL, 40000UL, 1'000'000UL}) {
    std::vector<std::uint64_t> values(n);
    std::uint64_t state = 1;
    for (std::uint64_t& value : values) value = (state = state * 6364136223846793005U + 1) >> 40U;
    std::vector<std::uint64_t> expected = values;
    std::sort(expected.begin(), expected.end());
    for (const int threads : {1, 3}) {
      std::vector<std::uint64_t> sorted = values;
      lacuna::parallel_sort(sorted, threads, std::less<>());
      EXPECT_EQ(sorted, expected);
    }
  }
}

TEST(TeamThreads, StaysForManyRoundsAndSurvivesAFailure) {
  constexpr int n_threads = 3;
  lacuna::Team team(n_threads);
  std::vector<Index> sums(n_threads); // each thread its own, as scratch memory is
  Index expected = 0;
  for (Index round = 0; round < 500; ++round) {
    team.run(round % 7, [&](Index i, int thread) { sums[static_cast<std::size_t>(thread)] += i + 1; });
    expected += (round % 7) * (round % 7 + 1) / 2;
    if (round % 100 == 0) {
      EXPECT_THROW(team.run(5, [](Index, int) { throw std::runtime_error("stop"); }), std::runtime_error);
    }
  }
  EXPECT_EQ(sums[0] + sums[1] + sums[2], expected);
}

// RLIMIT_NPROC does not bind root, so the failure comes from here.
TEST(TeamThreads, FewerThreadsThanAskedForDoTheWork) {
  const auto fail_as = [](int kind) {
    if (kind == 0) throw std::system_error(std::make_error_code(std::errc::resource_unavailable_try_again));
    throw std::bad_alloc();
  };
  for (const int kind : {0, 1})
    for (const int n_given : {0, 2}) {
      int n_started = 0;
      lacuna::Team team(8, [&](const std::function<void()>& work) {
        if (n_started == n_given) fail_as(kind);
        ++n_started;
        return std::jthread(work);
      });
      std::atomic<Index> sum{0};
      team.run(1000, [&](Index i, int thread) {
        EXPECT_LE(thread, n_given);
        sum += i;
      });
      EXPECT_EQ(sum, 999 * 500);
    }
}

TEST(TeamThreads, ATaskOutOfMemoryIsAnExceptionOfTheCaller) {
  lacuna::Team team(4);
  for (int round = 0; round < 20; ++round)
    EXPECT_THROW(team.run(50, [](Index, int) { throw std::bad_alloc(); }), std::bad_alloc);
}

TEST(ResolveThreads, ZeroMeansAllCores) {
  EXPECT_EQ(lacuna::resolve_threads(3), 3);
  EXPECT_GE(lacuna::resolve_threads(0), 1);
}

TEST(RowBlocks, PartitionsTheRows) {
  for (const Index n_rows : {0, 1, 2, 9, 10, 11, 999, 1000, 1001, 60'000})
    for (const Index min_rows : {1, 7, 512})
      for (const Index max_blocks : {1, 3, 64}) {
        SCOPED_TRACE(testing::Message() << n_rows << " rows, min " << min_rows << ", max " << max_blocks);
        const RowBlocks blocks(n_rows, {.min_rows = min_rows, .max_blocks = max_blocks});
        EXPECT_EQ(blocks.n_blocks == 0, n_rows == 0);
        EXPECT_LE(blocks.n_blocks, max_blocks);
        EXPECT_EQ(blocks.first(0), 0);
        EXPECT_EQ(blocks.first(blocks.n_blocks), n_rows);
        Index smallest = n_rows;
        Index largest = 0;
        for (Index b = 0; b < blocks.n_blocks; ++b) {
          EXPECT_EQ(blocks.first(b) + blocks.size(b), blocks.first(b + 1));
          smallest = std::min(smallest, blocks.size(b));
          largest = std::max(largest, blocks.size(b));
        }
        if (n_rows > 0) {
          EXPECT_GE(smallest, std::min(n_rows, min_rows));
          EXPECT_LE(largest - smallest, 1);
        }
      }
}

TEST(RowBlocks, UsesAsManyBlocksAsAllowed) {
  EXPECT_EQ(RowBlocks(1000, {.min_rows = 10, .max_blocks = 64}).n_blocks, 64);
  EXPECT_EQ(RowBlocks(1000, {.min_rows = 100, .max_blocks = 64}).n_blocks, 10);
  EXPECT_EQ(RowBlocks(5, {.min_rows = 100, .max_blocks = 64}).n_blocks, 1);
}

} // namespace
