#pragma once

namespace lacuna {

// Adam's constants, as usual.
inline constexpr double adam_beta_1 = 0.9;
inline constexpr double adam_beta_2 = 0.999;
inline constexpr double adam_epsilon = 1e-8;

} // namespace lacuna
