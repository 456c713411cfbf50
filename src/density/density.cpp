#include "lacuna/density/density.hpp"

#include <array>

#include "lacuna/core/errors.hpp"

namespace lacuna {

namespace {

/// In the order of the enum.
constexpr std::array stop_reasons = {"converged", "max_iterations", "sampled"};

} // namespace

std::string to_string(StopReason reason) {
  return stop_reasons[static_cast<std::size_t>(reason)];
}

std::shared_ptr<const Density> DensityFamily::fit_blocks(RowSource& /*rows*/,
                                                         const DensityFitContext& /*context*/) const {
  throw Error(ErrorKind::usage,
              "this density family needs all rows in memory at once; to fit from blocks use vb-gmm or gmm");
}

} // namespace lacuna
