#pragma once

#include "lacuna/core/errors.hpp"

namespace lacuna {

/// How wide the kernels are: by a rule, or where each row is likeliest under all others.
enum class KdeBandwidth { likelihood, silverman, scott };

/// Options of the kernel density estimate (docs/math/kde.md).
struct KdeOptions {
  KdeBandwidth kde_bandwidth = KdeBandwidth::likelihood;
  double kde_tolerance = 1e-4; ///< largest relative error of a density; 0 for the exact sum
};

/// Notes every option that is outside its limits.
void check_options(const KdeOptions& options, OptionChecks& checks);

} // namespace lacuna
