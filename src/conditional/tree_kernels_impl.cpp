// Compiled once per instruction set (math/simd.hpp).

#include "conditional/tree_kernels.hpp"
#include "math/simd.hpp"

namespace lacuna {

namespace {

constexpr Index lanes = lanes_of<std::uint16_t>;
constexpr Index n_vectors = tree_group / lanes; // vectors at a time: a place waits for those of its children
static_assert(tree_group % lanes == 0);

void climb(const TreeStep* steps, Index n_steps, const std::uint16_t* const* columns, Index n_rows,
           std::uint16_t* places, std::uint16_t* out) {
  for (Index first = 0; first < n_rows; first += tree_group) {
    for (const TreeStep* step = steps; step != steps + n_steps; ++step) {
      const std::uint16_t* const ranks = columns[step->column] + first;
      const std::uint16_t* const above = places + step->above * tree_group;
      const std::uint16_t* const others = places + step->others * tree_group;
      std::uint16_t* const to = places + step->place * tree_group;
      Shorts taken[n_vectors];
      for (Index w = 0; w < n_vectors; ++w)
        taken[w] = load(ranks + w * lanes) > step->bound ? load(above + w * lanes) : load(others + w * lanes);
      for (Index w = 0; w < n_vectors; ++w) store(to + w * lanes, taken[w]);
    }
    const std::uint16_t* const root = places + steps[n_steps - 1].place * tree_group;
    for (Index w = 0; w < n_vectors; ++w) store(out + first + w * lanes, load(root + w * lanes));
  }
}

static_assert(tree_line % lanes_of<double> == 0);

void add_lines(const float* lines, const std::int32_t* line_of, Index n, Index width, double* sums) {
  for (Index i = 0; i < n; ++i, sums += width) {
    const float* const line = lines + line_of[i] * width;
    for (Index k = 0; k < width; k += lanes_of<double>)
      store(sums + k, load(sums + k) + load_doubles(line + k));
  }
}

} // namespace

namespace LACUNA_INSTRUCTION_SET {
extern const TreeKernels tree_kernels;
const TreeKernels tree_kernels{climb, add_lines, 12 * lanes};
} // namespace LACUNA_INSTRUCTION_SET

} // namespace lacuna
