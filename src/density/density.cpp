#include "lacuna/density/density.hpp"

#include "lacuna/core/errors.hpp"

namespace lacuna {

std::shared_ptr<const Density> DensityFamily::fit_blocks(RowSource& /*rows*/,
                                                         const DensityFitContext& /*context*/) const {
  throw Error(ErrorKind::usage,
              "this density family needs all rows in memory at once; to fit from blocks use vb-gmm or gmm");
}

} // namespace lacuna
