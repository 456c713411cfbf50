#pragma once

#include "lacuna/core/device.hpp"
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

/// The row of what a GPU can do.
template <class Options>
Option<Options> device_option(Device Options::*field) {
  return option("device", field, "NAME",
                "Where VAEs are trained and mixtures pass over many rows: auto (a GPU where one is), cpu or "
                "cuda")
      .in_group("Run");
}

} // namespace lacuna
