// Compiled once per instruction set (math/simd.hpp).

#include "math/log_add_kernels.hpp"
#include "math/simd.hpp"

namespace lacuna {

namespace {

constexpr Index lanes = lanes_of<double>;

/// What exp_nonpositive and the C library may be off by, and what log_positive and the C library may: four
/// and six units in the last place, more than either is.
constexpr double exp_error = 0x1p-50;
constexpr double log_error = 0x1.8p-50;
/// exp of less is below half a unit in the last place of 1.
constexpr double lost_beside_one = -37.0;

Index log_add(const double* a, const double* b, Index n, double* out) {
  Index i = 0;
  for (; i + lanes <= n; i += lanes) {
    const Doubles x = load(a + i);
    const Doubles y = load(b + i);
    const Doubles largest = larger(x, y);
    const Doubles power = smaller(x, y) - largest;
    const Doubles e = exp_nonpositive(power);
    const Doubles least_sum = e * (1.0 - exp_error) + 1.0;
    const Doubles sum = e * (1.0 + exp_error) + 1.0;
    const Doubles log_sum = log_positive(sum);
    const Doubles least = log_sum * (1.0 - log_error) + largest;
    const Doubles most = log_sum * (1.0 + log_error) + largest;
    const Doubles none = same(__builtin_nan(""));
    const Doubles known = ((least_sum == sum) & (least == most)) ? most : none;
    const Doubles result = power < lost_beside_one ? largest + 0.0 : known;
    // NOLINTNEXTLINE(misc-redundant-expression): a NaN is not equal to itself
    store(out + i, ((x == x) & (y == y)) ? result : none);
  }
  return i;
}

} // namespace

namespace LACUNA_INSTRUCTION_SET {
extern const LogAddKernel log_add_kernel;
const LogAddKernel log_add_kernel{log_add};
} // namespace LACUNA_INSTRUCTION_SET

} // namespace lacuna
