// Compiled once per instruction set (math/simd.hpp).

#include "learning/nearest_kernels.hpp"
#include "math/simd.hpp"

namespace lacuna {

namespace {

constexpr Index lanes = lanes_of<double>;
constexpr Index width = nearest_group / lanes; // vectors at a time: a sum waits for the one before
static_assert(nearest_group % lanes == 0);

double least_distance(const double* query, const double* points, Index n, Index d, double beyond) {
  const Doubles infinite = same(__builtin_inf());
  Doubles least = infinite;
  for (Index i = 0; i < n; i += nearest_group) {
    Doubles sum[width] = {};
    for (Index j = 0; j < d; ++j)
      for (Index w = 0; w < width; ++w) {
        const Doubles difference = load(points + j * n + i + w * lanes) - query[j];
        sum[w] += difference * difference;
      }
    for (Index w = 0; w < width; ++w) least = smaller(least, sum[w] > beyond ? sum[w] : infinite);
  }
  double result = least[0];
  for (Index i = 1; i < lanes; ++i) result = least[i] < result ? least[i] : result;
  return result;
}

} // namespace

namespace LACUNA_INSTRUCTION_SET {
extern const NearestKernel nearest_kernel;
const NearestKernel nearest_kernel{least_distance};
} // namespace LACUNA_INSTRUCTION_SET

} // namespace lacuna
