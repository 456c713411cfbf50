#pragma once

#include <atomic>
#include <functional>
#include <thread>
#include <vector>

#include "lacuna/core/matrix.hpp"

namespace lacuna {

/// Threads that stay for many short pieces of work. They look for work for a few microseconds before they
/// sleep: to sleep at once would cost a wake-up per piece, to look for long (as OpenMP does) costs dearly
/// where other programs want the cores too.
class Team {
public:
  explicit Team(int n_threads) {
    for (int number = 1; number < n_threads; ++number)
      helpers_.emplace_back([this, number] { help(number); });
  }
  ~Team() {
    work_ = nullptr;
    start();
  }
  Team(const Team&) = delete;
  Team& operator=(const Team&) = delete;

  /// Calls work(piece, thread) for every piece; whoever is free takes the next. Work must not throw.
  void run(Index n_pieces, const std::function<void(Index, int)>& work) {
    next_ = 0;
    if (helpers_.empty() || n_pieces < 2) {
      for (Index i = 0; i < n_pieces; ++i) work(i, 0);
      return;
    }
    work_ = &work;
    n_pieces_ = n_pieces;
    n_busy_ = static_cast<int>(helpers_.size());
    start();
    take_pieces(0);
    for (int left = n_busy_; left != 0; left = n_busy_) wait_while(n_busy_, left);
  }

private:
  template <typename Value>
  static void wait_while(const std::atomic<Value>& what, Value value) {
    constexpr int n_looks = 2000;
    for (int look = 0; look < n_looks; ++look) {
      if (what != value) return;
#if defined(__x86_64__)
      __builtin_ia32_pause();
#endif
    }
    what.wait(value);
  }

  void start() {
    ++round_;
    round_.notify_all();
  }

  void take_pieces(int number) {
    for (Index i = next_++; i < n_pieces_; i = next_++) (*work_)(i, number);
  }

  void help(int number) {
    for (unsigned seen = 0;;) {
      wait_while(round_, seen);
      seen = round_;
      if (work_ == nullptr) return;
      take_pieces(number);
      if (--n_busy_ == 0) n_busy_.notify_one();
    }
  }

  const std::function<void(Index, int)>* work_ = nullptr;
  Index n_pieces_ = 0;
  std::atomic<Index> next_{0};
  std::atomic<int> n_busy_{0};
  std::atomic<unsigned> round_{0};
  std::vector<std::jthread> helpers_; ///< last, so that they end before what they use
};

} // namespace lacuna
