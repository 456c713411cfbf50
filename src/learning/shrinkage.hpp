#pragma once

#include <vector>

#include "lacuna/learning/classifier.hpp"
#include "learning/cross_fit.hpp"

namespace lacuna {

/// How much the class densities have in common: the given share, or that under which labels are likeliest to
/// models that did not see them. Derived in docs/math/classifier.md, section 6.
Shrinkage choose_shrinkage(CrossFit& cross_fit, const std::optional<double>& share);

/// Shares of the classes, from the weights of their rows, as far from equal as chance does not explain. A
/// class without rows has none.
std::vector<double> shrunk_shares(const std::vector<double>& weights);

/// The s in [0, 1] that maximises sum_i weight_i log((1 - s) inside_i + s shared_i), or 1 where that is
/// hardly less likely (eq. 13).
double likeliest_share(const std::vector<double>& inside, const std::vector<double>& shared,
                       const std::vector<double>& weights);

} // namespace lacuna
