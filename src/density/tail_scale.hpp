#pragma once

#include <optional>
#include <span>

namespace lacuna {

/// Of a number x, asinh((x - anchor) / scale) is taken: like x near the anchor, like its logarithm far away.
struct TailScale {
  double anchor = 0.0;
  double scale = 1.0;
};

/// The scale on which the numbers of a column are much likelier under a normal density, and under two of
/// them, than as they are; empty: none is. `points` are equally likely values, increasing; `low`, `middle`
/// and `high` the column's smallest number, its median and its largest number.
std::optional<TailScale> choose_tail_scale(std::span<const double> points, double low, double middle,
                                           double high);

} // namespace lacuna
