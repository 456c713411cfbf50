#pragma once

#include <functional>

#include "lacuna/core/matrix.hpp"

namespace lacuna {

/// The number of threads meant by an option: 0 stands for all cores of this machine.
int resolve_threads(int threads);

/// Calls `work(i)` for i = 0 .. n_tasks-1 on up to `threads` threads. Which thread runs which task is left to
/// chance, so a task must write only what is its own; whoever reduces the results does it in task order, and
/// then the answer has the same bits for any number of threads. The first exception, by task number among
/// those thrown, is rethrown here after all threads have stopped.
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

} // namespace lacuna
