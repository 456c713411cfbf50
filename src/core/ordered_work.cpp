#include "core/ordered_work.hpp"

#include <algorithm>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <vector>

#include "core/parallel.hpp"
#include "lacuna/core/errors.hpp"

namespace lacuna {

namespace {

/// Pieces in three states: those from `written_` are not written yet, those from `taken_` are not worked on
/// yet, and `read_` is the next to be read.
class PieceLine {
public:
  PieceLine(Index n_places, const OrderedWork& pieces)
      : pieces_(pieces), states_(static_cast<std::size_t>(n_places)) {}

  /// What the caller's thread does; it helps while nothing can be read or written.
  void conduct() {
    const Closing closing(*this);
    for (;;) {
      if (oldest_is_done()) {
        write_oldest();
      } else if (!at_end_ && read_ - written_ < n_places()) {
        read_next();
      } else if (!work_on_next() && !wait_for_oldest()) {
        break;
      }
    }
    if (reading_failure_) std::rethrow_exception(reading_failure_);
  }

  /// What the other threads do.
  void help() {
    while (wait_for_work()) work_on_next();
  }

private:
  struct State {
    bool is_done = false;
    std::exception_ptr failure;
  };

  /// However the conducting ends, the helpers go home.
  struct Closing {
    explicit Closing(PieceLine& of) : line(of) {}
    Closing(const Closing&) = delete;
    Closing& operator=(const Closing&) = delete;
    ~Closing() {
      const std::lock_guard lock(line.mutex_);
      line.is_closed_ = true;
      line.changed_.notify_all();
    }
    PieceLine& line;
  };

  Index n_places() const { return static_cast<Index>(states_.size()); }
  State& state(Index piece) { return states_[static_cast<std::size_t>(piece % n_places())]; }

  bool oldest_is_done() {
    const std::lock_guard lock(mutex_);
    return written_ < read_ && state(written_).is_done;
  }

  void write_oldest() {
    if (state(written_).failure) std::rethrow_exception(state(written_).failure);
    pieces_.write(written_ % n_places());
    ++written_;
  }

  void read_next() {
    try {
      at_end_ = !pieces_.read(read_ % n_places());
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::data) throw;
      reading_failure_ = std::current_exception();
      at_end_ = true;
    }
    if (at_end_) return;
    const std::lock_guard lock(mutex_);
    state(read_) = {};
    ++read_;
    changed_.notify_one();
  }

  /// False when all pieces are taken.
  bool work_on_next() {
    Index piece = 0;
    {
      const std::lock_guard lock(mutex_);
      if (taken_ == read_) return false;
      piece = taken_++;
    }
    std::exception_ptr failure;
    try {
      pieces_.work(piece % n_places());
    } catch (...) {
      failure = std::current_exception();
    }
    const std::lock_guard lock(mutex_);
    state(piece) = {true, failure};
    changed_.notify_all();
    return true;
  }

  /// False when no more pieces come.
  bool wait_for_work() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return is_closed_ || taken_ < read_; });
    return !is_closed_;
  }

  /// False when there is none.
  bool wait_for_oldest() {
    std::unique_lock lock(mutex_);
    if (written_ == read_) return false;
    changed_.wait(lock, [&] { return state(written_).is_done; });
    return true;
  }

  const OrderedWork& pieces_;
  std::mutex mutex_; ///< for states_, read_, taken_ and is_closed_; the rest belongs to the caller's thread
  std::condition_variable changed_;
  std::vector<State> states_;
  Index written_ = 0;
  Index taken_ = 0;
  Index read_ = 0;
  bool is_closed_ = false;
  bool at_end_ = false;
  std::exception_ptr reading_failure_;
};

} // namespace

Index ordered_places(int threads) {
  return threads == 1 ? 1 : Index{3} * threads;
}

void work_in_order(int threads, const OrderedWork& pieces) {
  PieceLine line(ordered_places(threads), pieces);
  Team team(threads);
  // Each task lasts until the last piece; where there are fewer threads, what is left of them has nothing to
  // do.
  team.run(threads, [&](Index /*task*/, int thread) {
    if (thread == 0)
      line.conduct();
    else
      line.help();
  });
}

} // namespace lacuna
