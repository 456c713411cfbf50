#pragma once

#include <algorithm>
#include <atomic>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "core/pass_place.hpp"
#include "lacuna/core/matrix.hpp"
#include "lacuna/core/observer.hpp"

namespace LACUNA_API lacuna {

/// The number of threads meant by an option: 0 stands for all cores of this machine.
int resolve_threads(int threads);

/// Threads that stay for many short rounds of work, as the layers of a network bring them. Between rounds
/// they look for work for a few microseconds before they sleep: to sleep at once would cost a wake-up per
/// round, to look for long (as OpenMP does) costs dearly where other programs want the cores too.
class Team {
public:
  /// Starts a thread; throws when the system has none to give.
  using Start = std::function<std::jthread(const std::function<void()>&)>;

  /// The caller's thread is one of them. Where the system gives fewer, those there are do the work.
  explicit Team(int n_threads) : Team(n_threads, start_thread) {}
  Team(int n_threads, const Start& start_helper);
  ~Team();
  Team(const Team&) = delete;
  Team& operator=(const Team&) = delete;

  /// Calls `work(i, thread)` for i = 0 .. n_tasks-1; thread counts from 0. Which thread runs which task is
  /// left to chance, so a task must write only what is its own; whoever reduces the results does it in task
  /// order, and then the answer has the same bits for any number of threads. The first exception, by task
  /// number among those thrown, is rethrown here after all threads have stopped.
  void run(Index n_tasks, const std::function<void(Index, int)>& work);

private:
  friend void parallel_for(Index n_tasks, int threads, const std::function<void(Index)>& work);

  static std::jthread start_thread(const std::function<void()>& work);
  void start();
  void help(int thread);
  void take_tasks(int thread);

  const std::function<void(Index, int)>* work_ = nullptr; ///< null: go home
  const Observer* observer_ = nullptr;                    ///< that of the caller's Interruptible
  const PassesAt* place_ = nullptr;                       ///< the caller's
  std::atomic<int>* idle_ = nullptr;                      ///< who has no task left counts itself here
  bool is_outermost_ = false;
  Index n_tasks_ = 0;
  std::atomic<Index> next_{0};
  std::atomic<int> n_busy_{0};
  std::atomic<unsigned> round_{0};
  std::mutex mutex_; ///< for the two below
  std::exception_ptr failure_;
  Index failed_task_ = 0;
  std::vector<std::jthread> helpers_; ///< last, so that they end before what they use
};

/// One round of a team of up to `threads` threads that lives no longer than it. Before each task it looks
/// whether it is to stop (Interruptible). Loops inside its tasks have no threads of their own beside: they
/// share those of the outermost loop, and take what is idle when they begin. So whoever writes a loop asks
/// for all threads, wherever it may run.
void parallel_for(Index n_tasks, int threads, const std::function<void(Index)>& work);

/// A fixed partition of n rows into contiguous blocks: it depends on the data alone, never on the number of
/// threads.
struct RowBlocks {
  struct Limits {
    Index min_rows = 1; ///< of a block, unless there are fewer
    Index max_blocks = 1;
  };
  RowBlocks(Index n_rows, Limits limits);
  Index first(Index block) const;
  Index size(Index block) const { return first(block + 1) - first(block); }

  Index n_rows;
  Index n_blocks;
};

/// Sorts by `less`, part by part side by side, then merges them. What is equal may come in any order, as with
/// std::sort.
template <typename Value, typename Less>
void parallel_sort(std::vector<Value>& values, int threads, Less less) {
  const RowBlocks parts(static_cast<Index>(values.size()), {.min_rows = 32768, .max_blocks = 16});
  const auto begin_of = [&](Index part) {
    return values.begin() + parts.first(std::min(part, parts.n_blocks));
  };
  parallel_for(parts.n_blocks, threads,
               [&](Index part) { std::sort(begin_of(part), begin_of(part + 1), less); });
  for (Index step = 1; step < parts.n_blocks; step *= 2)
    parallel_for((parts.n_blocks + 2 * step - 1) / (2 * step), threads, [&](Index pair) {
      const Index first = 2 * step * pair;
      std::inplace_merge(begin_of(first), begin_of(first + step), begin_of(first + 2 * step), less);
    });
}

} // namespace lacuna
