// One variational iteration of the mixture on 60,000 x 5 rows with 50 components, whole and by kernel set.

#include <benchmark/benchmark.h>

#include "density/kernels.hpp"
#include "density/kmeans_start.hpp"
#include "density/mixture_moments.hpp"
#include "density/vb_posterior.hpp"
#include "lacuna/core/observer.hpp"
#include "lacuna/core/random.hpp"

namespace {

using namespace lacuna;

constexpr Index n_rows = 60000;
constexpr Index n_features = 5;
constexpr Index n_components = 50;

const Matrix& rows() {
  static const Matrix values = [] {
    Matrix m(n_rows, n_features);
    RandomStream random(0, RandomPurpose::simulation);
    for (double& v : m.values()) v = random.normal();
    return m;
  }();
  return values;
}

struct Problem {
  Frame frame = make_frame(WeightedRows(rows().view()), {}, {}, {}, 0.0);
  VbPrior prior = VbPrior::from_options({}, n_components, n_features);
  VbPosterior posterior;

  Problem() {
    const WeightedRows all(rows().view());
    const KmeansStart start = kmeans_start(all, frame, n_components, 0, 0, silent_observer());
    posterior =
        update_posterior(prior, collect_assigned_moments(all, frame, start.centers, start.assignment, false));
  }
};

void vb_iteration(benchmark::State& state) {
  Problem problem;
  const WeightedRows all(rows().view());
  for (auto _ : state) {
    const MixtureTerms terms = make_terms(problem.prior, problem.posterior, DensityForm::expected_log);
    const MixtureMoments moments =
        collect_moments(all, problem.frame, terms, static_cast<int>(state.range(0)), silent_observer());
    benchmark::DoNotOptimize(posterior_divergence(problem.prior, problem.posterior));
    problem.posterior = update_posterior(problem.prior, moments);
  }
  state.SetItemsProcessed(state.iterations() * n_rows);
}
BENCHMARK(vb_iteration)->Arg(1)->Arg(2)->Unit(benchmark::kMillisecond)->UseRealTime();

/// The three kernels an iteration spends its time in, for one block that stays in the cache: the hardware's
/// limit.
void kernels_in_cache(benchmark::State& state) {
  const auto sets = available_kernels();
  if (static_cast<std::size_t>(state.range(0)) >= sets.size()) {
    state.SkipWithError("this processor has no such instruction set");
    return;
  }
  const Kernels& kernel = *sets[static_cast<std::size_t>(state.range(0))];
  constexpr Index block = 320;
  const std::vector<double> x(block * n_features, 0.5);
  const std::vector<double> mean(n_features, 0.1);
  const std::vector<double> a(n_features * (n_features + 1) / 2, 0.3);
  const std::vector<double> weight(block, 1.0);
  std::vector<double> logits(block * n_components);
  std::vector<double> total(block);
  std::vector<double> scratch(static_cast<std::size_t>(moments_scratch(n_features) * block));
  double zeroth = 0.0;
  std::vector<double> first(n_features);
  std::vector<double> second(a.size());
  for (auto _ : state) {
    for (Index k = 0; k < n_components; ++k) {
      kernel.quadratic_full(x.data(), block, block, n_features, mean.data(), a.data(),
                            logits.data() + k * block);
      kernel.gaussian(logits.data() + k * block, block, -1.0);
    }
    kernel.responsibilities(logits.data(), block, block, n_components, weight.data(), total.data());
    for (Index k = 0; k < n_components; ++k)
      kernel.moments_full(x.data(), block, block, n_features, mean.data(), logits.data() + k * block,
                          scratch.data(), &zeroth, first.data(), second.data());
    benchmark::ClobberMemory();
  }
  state.SetLabel(kernel.name);
  state.SetItemsProcessed(state.iterations() * block);
}
BENCHMARK(kernels_in_cache)->Arg(0)->Arg(1)->Arg(2)->Unit(benchmark::kMicrosecond);

} // namespace
