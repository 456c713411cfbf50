#include "core/parallel.hpp"

#include <algorithm>
#include <new>
#include <system_error>
#include <utility>

#include "core/interruption.hpp"

namespace lacuna {

int resolve_threads(int threads) {
  if (threads > 0) return threads;
  return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

namespace {

template <typename Value>
void wait_while(const std::atomic<Value>& what, Value value) {
  constexpr int n_looks = 2000;
  for (int look = 0; look < n_looks; ++look) {
    if (what != value) return;
#if defined(__x86_64__)
    __builtin_ia32_pause();
#endif
  }
  what.wait(value);
}

} // namespace

std::jthread Team::start_thread(const std::function<void()>& work) {
  return std::jthread(work);
}

// Nothing may leave from here: helpers that have begun would wait for a team that was never made.
Team::Team(int n_threads, const Start& start_helper) {
  try {
    helpers_.reserve(static_cast<std::size_t>(std::max(0, n_threads - 1)));
    for (int thread = 1; thread < n_threads; ++thread)
      helpers_.push_back(start_helper([this, thread] { help(thread); }));
  } catch (const std::system_error&) { // the system has no more threads to give
  } catch (const std::bad_alloc&) {    // nor memory for them
  }
}

Team::~Team() {
  work_ = nullptr;
  start();
}

void Team::start() {
  ++round_;
  round_.notify_all();
}

void Team::run(Index n_tasks, const std::function<void(Index, int)>& work) {
  if (helpers_.empty() || n_tasks < 2) {
    for (Index i = 0; i < n_tasks; ++i) work(i, 0);
    return;
  }
  work_ = &work;
  observer_ = Interruptible::observer();
  place_ = PassesAt::place();
  n_tasks_ = n_tasks;
  next_ = 0;
  n_busy_ = static_cast<int>(helpers_.size());
  start();
  take_tasks(0);
  for (int left = n_busy_; left != 0; left = n_busy_) wait_while(n_busy_, left);
  if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
}

void Team::take_tasks(int thread) {
  for (Index i = next_++; i < n_tasks_; i = next_++) {
    try {
      (*work_)(i, thread);
    } catch (...) {
      const std::lock_guard lock(mutex_);
      if (!failure_ || i < failed_task_) {
        failed_task_ = i;
        failure_ = std::current_exception();
      }
      next_ = n_tasks_; // no new tasks after a failure
    }
  }
}

void Team::help(int thread) {
  for (unsigned seen = 0;;) {
    wait_while(round_, seen);
    seen = round_;
    if (work_ == nullptr) return;
    const Interruptible interruptible(observer_);
    const PassesAt passes_at(place_);
    take_tasks(thread);
    if (--n_busy_ == 0) n_busy_.notify_one();
  }
}

// Threads are started for each call: a start costs some 20 microseconds, the calls take milliseconds, and
// unlike with a pool that stays nothing is left behind that a fork (Python's multiprocessing) could break.
void parallel_for(Index n_tasks, int threads, const std::function<void(Index)>& work) {
  Team team(static_cast<int>(std::min<Index>(resolve_threads(threads), n_tasks)));
  team.run(n_tasks, [&](Index i, int /*thread*/) {
    stop_if_asked();
    work(i);
  });
}

RowBlocks::RowBlocks(Index rows, Limits limits)
    : n_rows(rows), n_blocks(std::clamp<Index>(rows / std::max<Index>(1, limits.min_rows), rows > 0 ? 1 : 0,
                                               limits.max_blocks)) {}

Index RowBlocks::first(Index block) const {
  // n_rows * block would overflow only beyond 2^50 rows.
  return n_blocks == 0 ? 0 : n_rows * block / n_blocks;
}

} // namespace lacuna
