// Compiled once per instruction set (math/simd.hpp).

#include "conditional/tree_kernels.hpp"
#include "math/simd.hpp"

namespace lacuna {

namespace {

constexpr Index lanes = lanes_of<float>;
static_assert(tree_group % lanes == 0);

void climb(const TreeStep* steps, Index n_steps, const float* columns, Index stride, Index n_rows,
           float* places, float* out) {
  for (Index first = 0; first < n_rows; first += tree_group) {
    for (const TreeStep* step = steps; step != steps + n_steps; ++step) {
      const float* const x = columns + step->feature * stride + first;
      const float* const above = places + step->above * tree_group;
      const float* const others = places + step->others * tree_group;
      float* const to = places + step->place * tree_group;
      const FloatBits sign = static_cast<int>(step->sign) - FloatBits{};
      const Floats bound = same(step->bound);
      for (Index i = 0; i < tree_group; i += lanes) {
        const auto turned = reinterpret_cast<Floats>(reinterpret_cast<FloatBits>(load(x + i)) ^ sign);
        store(to + i, turned > bound ? load(above + i) : load(others + i));
      }
    }
    for (Index i = 0; i < tree_group; i += lanes) store(out + first + i, load(places + i));
  }
}

} // namespace

namespace LACUNA_INSTRUCTION_SET {
extern const TreeKernels tree_kernels;
const TreeKernels tree_kernels{climb, 24 * lanes};
} // namespace LACUNA_INSTRUCTION_SET

} // namespace lacuna
