#include "core/parallel.hpp"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace lacuna {

int resolve_threads(int threads) {
  if (threads > 0) return threads;
  return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

// Plain threads, started for each call: a start costs some 20 microseconds, the calls take milliseconds, and
// unlike a pool or OpenMP's runtime nothing is left behind that a fork (Python's multiprocessing) could
// break.
void parallel_for(Index n_tasks, int threads, const std::function<void(Index)>& work) {
  const auto n_threads = static_cast<Index>(resolve_threads(threads));
  if (n_tasks <= 1 || n_threads <= 1) {
    for (Index i = 0; i < n_tasks; ++i) work(i);
    return;
  }
  std::atomic<Index> next{0};
  std::mutex mutex;
  std::exception_ptr failure;
  Index failed_task = n_tasks;
  const auto run = [&] {
    for (Index i = next.fetch_add(1); i < n_tasks; i = next.fetch_add(1)) {
      try {
        work(i);
      } catch (...) {
        const std::lock_guard lock(mutex);
        if (i < failed_task) {
          failed_task = i;
          failure = std::current_exception();
        }
        next.store(n_tasks); // no new tasks after a failure
      }
    }
  };
  std::vector<std::jthread> pool;
  for (Index t = 1; t < std::min(n_threads, n_tasks); ++t) pool.emplace_back(run);
  run();
  pool.clear(); // joins
  if (failure) std::rethrow_exception(failure);
}

RowBlocks::RowBlocks(Index rows, Limits limits)
    : n_rows(rows), n_blocks(std::clamp<Index>(rows / std::max<Index>(1, limits.min_rows), rows > 0 ? 1 : 0,
                                               limits.max_blocks)) {}

Index RowBlocks::first(Index block) const {
  // n_rows * block would overflow only beyond 2^50 rows.
  return n_blocks == 0 ? 0 : n_rows * block / n_blocks;
}

} // namespace lacuna
