// A chain of 100 iterations of the Dirichlet process mixture on 1,000,000 x 2 rows of six clusters, from the
// first iteration with a single cluster on: what published sub-cluster samplers report.

#include <cmath>

#include <benchmark/benchmark.h>

#include "density/own_families.hpp"
#include "lacuna/core/random.hpp"

namespace {

using namespace lacuna;

/// Six overlapping clusters, unequal in size and shape.
Matrix six_clusters(Index n_rows) {
  RandomStream random(0, RandomPurpose::simulation);
  Matrix rows(n_rows, 2);
  for (Index i = 0; i < n_rows; ++i) {
    const double u = random.uniform();
    const int k = std::min(5, static_cast<int>(6.0 * std::pow(u, 1.3)));
    const double a = random.normal();
    const double b = random.normal();
    rows(i, 0) = 4.0 * std::cos(1.0472 * k) + (0.6 + 0.1 * k) * a;
    rows(i, 1) = 4.0 * std::sin(1.0472 * k) + 0.5 * a + 0.7 * b;
  }
  return rows;
}

void dp_chain(benchmark::State& state) {
  const Matrix rows = six_clusters(state.range(0));
  DpMixtureOptions options;
  options.dp_iterations = 100;
  options.dp_burn_in = 50;
  options.dp_draws = 10;
  DensityFitContext context;
  context.threads = static_cast<int>(state.range(1));
  for (auto _ : state) {
    const auto density = DpMixtureFamily(options).fit(WeightedRows(rows.view()), context);
    state.counters["clusters"] = density->summary().measures.at("clusters");
    state.counters["ess_log_joint"] = density->summary().measures.at("ess_log_joint");
  }
}
BENCHMARK(dp_chain)->Args({1000000, 1})->Args({1000000, 2})->Unit(benchmark::kSecond)->UseRealTime();

} // namespace
