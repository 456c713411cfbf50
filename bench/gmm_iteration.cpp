// One EM iteration of the Gaussian mixture on 100,000 x 32 rows with 16 components; its two kernels alone;
// and how many multiply-adds a core can do at best, to compare them with.

#include <vector>

#include <benchmark/benchmark.h>

#include "density/gmm.hpp"
#include "density/kernels.hpp"
#include "density/kmeans_start.hpp"
#include "lacuna/core/observer.hpp"
#include "lacuna/core/random.hpp"

namespace {

using namespace lacuna;

constexpr Index n_rows = 100000;
constexpr Index n_features = 32;
constexpr Index n_components = 16;
constexpr double floor = 1e-6;

void gmm_iteration(benchmark::State& state) {
  Matrix rows(n_rows, n_features);
  RandomStream random(0, RandomPurpose::simulation);
  for (double& v : rows.values()) v = random.normal();
  const WeightedRows all(rows.view());
  const Frame frame = make_frame(all, {}, {}, {}, 0.0);
  const KmeansStart start = kmeans_start(all, frame, n_components, 0, 0, silent_observer());
  GmmParameters parameters =
      maximise(collect_assigned_moments(all, frame, start.centers, start.assignment, false),
               CovarianceType::full, floor);
  for (auto _ : state)
    parameters = maximise(collect_moments(all, frame, make_terms(parameters),
                                          static_cast<int>(state.range(0)), silent_observer()),
                          CovarianceType::full, floor);
  state.SetItemsProcessed(state.iterations() * n_rows);
}
BENCHMARK(gmm_iteration)->Arg(1)->Arg(2)->Unit(benchmark::kMillisecond)->UseRealTime();

constexpr Index block = 512;
constexpr Index stride = block + 8;
constexpr Index n_pairs = n_features * (n_features + 1) / 2;

/// Multiply-adds per second of a kernel that does `n_pairs` of them per row.
void count_multiply_adds(benchmark::State& state) {
  state.counters["multiply_adds"] = benchmark::Counter(
      static_cast<double>(state.iterations() * block * n_pairs), benchmark::Counter::kIsRate);
  state.SetLabel(kernels().name);
}

AlignedDoubles random_values(Index size) {
  RandomStream random(0, RandomPurpose::simulation);
  AlignedDoubles values(static_cast<std::size_t>(size));
  for (double& v : values) v = random.uniform();
  return values;
}

void quadratic_full(benchmark::State& state) {
  const AlignedDoubles x = random_values(n_features * stride);
  const AlignedDoubles mean = random_values(n_features);
  const AlignedDoubles a = random_values(n_pairs);
  AlignedDoubles out(block);
  for (auto _ : state) {
    kernels().quadratic_full(x.data(), stride, block, n_features, mean.data(), a.data(), out.data());
    benchmark::ClobberMemory();
  }
  count_multiply_adds(state);
}
BENCHMARK(quadratic_full)->Unit(benchmark::kMicrosecond);

void moments_full(benchmark::State& state) {
  const AlignedDoubles x = random_values(n_features * stride);
  const AlignedDoubles mean = random_values(n_features);
  const AlignedDoubles r = random_values(block);
  AlignedDoubles scratch(static_cast<std::size_t>(moments_scratch(n_features) * stride));
  double zeroth = 0.0;
  std::vector<double> first(n_features);
  std::vector<double> second(n_pairs);
  for (auto _ : state) {
    kernels().moments_full(x.data(), stride, block, n_features, mean.data(), r.data(), scratch.data(),
                           &zeroth, first.data(), second.data());
    benchmark::ClobberMemory();
  }
  count_multiply_adds(state);
}
BENCHMARK(moments_full)->Unit(benchmark::kMicrosecond);

#ifdef __x86_64__
constexpr Index n_chains = 12;
constexpr Index n_links = 100000;

/// Independent sums that stay in registers: nothing but multiply-adds.
[[gnu::target("avx512f"), gnu::noinline]] double chains_avx512(double number) {
  using Vec = double __attribute__((vector_size(64)));
  Vec sums[n_chains];
  for (Index k = 0; k < n_chains; ++k) sums[k] = Vec{} + static_cast<double>(k);
  const Vec factor = Vec{} + number;
  for (Index i = 0; i < n_links; ++i)
#pragma GCC unroll 12
    for (Vec& sum : sums) sum = sum * factor + factor;
  double total = 0.0;
  for (const Vec& sum : sums) total += sum[0];
  return total;
}

void most_multiply_adds(benchmark::State& state) {
  if (!__builtin_cpu_supports("avx512f")) {
    state.SkipWithError("this processor has no AVX-512");
    return;
  }
  double number = 0.999;
  for (auto _ : state) {
    benchmark::DoNotOptimize(number);
    benchmark::DoNotOptimize(chains_avx512(number));
  }
  state.counters["multiply_adds"] = benchmark::Counter(
      static_cast<double>(state.iterations() * 8 * n_chains * n_links), benchmark::Counter::kIsRate);
}
BENCHMARK(most_multiply_adds)->Unit(benchmark::kMicrosecond);
#endif

} // namespace
