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

/// Threads of the loop that this thread works in which have nothing to do; null outside of all loops.
thread_local std::atomic<int>* idle_threads = nullptr;

/// Names them for this thread while it lives.
class SharesThreads {
public:
  explicit SharesThreads(std::atomic<int>* idle) : outer_(std::exchange(idle_threads, idle)) {}
  ~SharesThreads() { idle_threads = outer_; }
  SharesThreads(const SharesThreads&) = delete;
  SharesThreads& operator=(const SharesThreads&) = delete;

private:
  std::atomic<int>* outer_;
};

/// Takes up to so many of them.
int take_threads(std::atomic<int>& idle, int most) {
  int there = idle;
  while (there > 0 && most > 0) {
    const int taken = std::min(there, most);
    if (idle.compare_exchange_weak(there, there - taken)) return taken;
  }
  return 0;
}

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
  place_ = PassesAt::named();
  n_tasks_ = n_tasks;
  next_ = 0;
  n_busy_ = static_cast<int>(helpers_.size());
  start();
  take_tasks(0);
  if (is_outermost_) ++*idle_; // this thread has nothing to do but to wait for loops inside the last tasks
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
    const SharesThreads shares_threads(idle_);
    take_tasks(thread);
    if (idle_ != nullptr) ++*idle_;
    if (--n_busy_ == 0) n_busy_.notify_one();
  }
}

// Threads are started for each call: a start costs some 20 microseconds, the calls take milliseconds, and
// unlike with a pool that stays nothing is left behind that a fork (Python's multiprocessing) could break.
void parallel_for(Index n_tasks, int threads, const std::function<void(Index)>& work) {
  const int n_threads = resolve_threads(threads);
  std::atomic<int> own{n_threads - 1};
  // One thread that is in no loop leaves it to those inside what they ask for.
  std::atomic<int>* const idle = idle_threads != nullptr || n_threads == 1 ? idle_threads : &own;
  const int most = static_cast<int>(std::min<Index>(n_threads, n_tasks)) - 1;
  const int n_taken = idle != nullptr ? take_threads(*idle, most) : 0;
  Team team(n_taken + 1);
  team.idle_ = idle;
  team.is_outermost_ = idle == &own;
  if (idle != nullptr)
    *idle += n_taken - static_cast<int>(team.helpers_.size()); // those the system did not give
  const SharesThreads shares_threads(idle);
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
