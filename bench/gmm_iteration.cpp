// One EM iteration of the Gaussian mixture on 100,000 x 32 rows with 16 components.

#include <benchmark/benchmark.h>

#include "density/gmm.hpp"
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

} // namespace
