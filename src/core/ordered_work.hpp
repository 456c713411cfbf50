#pragma once

#include <functional>

#include "lacuna/core/matrix.hpp"

namespace LACUNA_API lacuna {

/// What is done with the pieces of a stream. A piece stays in its place from when it is read until it is
/// written; then the place takes another.
struct OrderedWork {
  std::function<bool(Index place)> read;  ///< by the caller's thread; false: there are no more pieces
  std::function<void(Index place)> work;  ///< by any thread, several at once
  std::function<void(Index place)> write; ///< by the caller's thread, in the order of reading
};

/// So many places are needed for `threads` threads: each has a piece waiting when it is done with one.
Index ordered_places(int threads);

/// Reads pieces one after another, works on them side by side, and writes them in the order in which they
/// were read. What `read` cannot read, which throws Error(data), is told when all pieces before it are
/// written; so the first failure by the order of the pieces is the one that is thrown.
void work_in_order(int threads, const OrderedWork& pieces);

} // namespace lacuna
