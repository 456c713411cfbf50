#pragma once

#include "lacuna/core/options.hpp"

namespace lacuna {

/// The row that every long work has.
template <class Options>
Option<Options> threads_option(int Options::*field) {
  return option("threads", field, "T", "Threads, 0 for all cores; never changes a result",
                {.low = 0, .high = 1024})
      .in_group("Run")
      .unrecorded();
}

} // namespace lacuna
