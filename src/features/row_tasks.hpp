#pragma once

#include <algorithm>

#include "core/parallel.hpp"

namespace lacuna {

/// Calls work(first, count) for pieces of n rows, on several threads. For maps, which treat every row alone.
template <typename Work>
void for_row_tasks(Index n_rows, int threads, const Work& work) {
  constexpr Index rows_per_task = 256;
  const Index n_tasks = (n_rows + rows_per_task - 1) / rows_per_task;
  parallel_for(n_tasks, threads, [&](Index task) {
    const Index first = task * rows_per_task;
    work(first, std::min(rows_per_task, n_rows - first));
  });
}

} // namespace lacuna
