#pragma once

#include <cmath>

namespace lacuna {

/// Smaller numbers first, and what is no number last. Plain `<` is no order where there is a NaN, and
/// std::sort then leaves its range: rows that somebody changes during a fit must not bring it down.
struct NanLast {
  template <class Number>
  bool operator()(Number a, Number b) const {
    return a < b || (std::isnan(b) && !std::isnan(a));
  }
};

} // namespace lacuna
