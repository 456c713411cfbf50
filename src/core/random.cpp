#include "lacuna/core/random.hpp"

#include <cmath>
#include <numbers>

#include "lacuna/core/errors.hpp"

namespace lacuna {

std::array<std::uint32_t, 4> philox(std::array<std::uint32_t, 4> counter, std::array<std::uint32_t, 2> key) {
  // Salmon et al., "Parallel random numbers: as easy as 1, 2, 3" (2011).
  constexpr std::uint64_t multiplier_0 = 0xD2511F53U;
  constexpr std::uint64_t multiplier_1 = 0xCD9E8D57U;
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t product_0 = multiplier_0 * counter[0];
    const std::uint64_t product_1 = multiplier_1 * counter[2];
    counter = {static_cast<std::uint32_t>(product_1 >> 32U) ^ counter[1] ^ key[0],
               static_cast<std::uint32_t>(product_1),
               static_cast<std::uint32_t>(product_0 >> 32U) ^ counter[3] ^ key[1],
               static_cast<std::uint32_t>(product_0)};
    key[0] += 0x9E3779B9U;
    key[1] += 0xBB67AE85U;
  }
  return counter;
}

RandomStream::RandomStream(std::uint64_t seed, RandomPurpose purpose, std::uint64_t index)
    : seed_(seed), index_(index), purpose_(static_cast<std::uint32_t>(purpose)) {}

std::uint64_t RandomStream::next() {
  if (left_ == 0) {
    block_ = philox({static_cast<std::uint32_t>(index_), static_cast<std::uint32_t>(index_ >> 32U), purpose_,
                     position_++},
                    {static_cast<std::uint32_t>(seed_), static_cast<std::uint32_t>(seed_ >> 32U)});
    left_ = 2;
  }
  --left_;
  const std::size_t at = left_ == 1 ? 0 : 2;
  return (static_cast<std::uint64_t>(block_[at + 1]) << 32U) | block_[at];
}

double RandomStream::uniform() {
  // 52 bits and a half: strictly inside (0, 1).
  return (static_cast<double>(next() >> 12U) + 0.5) * 0x1.0p-52;
}

double RandomStream::normal() {
  const double radius = std::sqrt(-2.0 * std::log(uniform()));
  return radius * std::cos(2.0 * std::numbers::pi * uniform());
}

double RandomStream::gamma(double shape) {
  // Nothing would ever be accepted below.
  if (!std::isfinite(shape))
    throw Error(ErrorKind::internal, "a gamma distribution was asked for with a shape that is no number");
  // Marsaglia and Tsang (2000); shapes below one by their boosting identity.
  if (shape < 1.0) return gamma(shape + 1.0) * std::pow(uniform(), 1.0 / shape);
  const double d = shape - 1.0 / 3.0;
  const double c = 1.0 / std::sqrt(9.0 * d);
  for (;;) {
    const double x = normal();
    const double v = 1.0 + c * x;
    if (v <= 0.0) continue;
    const double cube = v * v * v;
    if (std::log(uniform()) < 0.5 * x * x + d - d * cube + d * std::log(cube)) return d * cube;
  }
}

std::uint64_t derive_seed(std::uint64_t seed, RandomPurpose purpose, std::uint64_t index) {
  return RandomStream(seed, purpose, index).next();
}

} // namespace lacuna
