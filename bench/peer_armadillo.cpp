// Armadillo beside bench/gmm_iteration.cpp and bench/peers.cpp: EM iterations of a Gaussian mixture with full
// covariances, 100,000 x 32 rows, 16 components, and principal components of 100,000 x 50 rows. The fits of 1
// and of 4 iterations differ by three.

#include <armadillo>
#include <benchmark/benchmark.h>

namespace {

void armadillo_gmm(benchmark::State& state) {
  arma::arma_rng::set_seed(0);
  const arma::mat rows = arma::randn(32, 100000);
  const arma::mat means = arma::randn(32, 16);
  arma::cube covariances(32, 32, 16);
  covariances.each_slice() = arma::eye(32, 32);
  const arma::rowvec weights(16, arma::fill::value(1.0 / 16.0));
  for (auto _ : state) {
    arma::gmm_full mixture;
    mixture.set_params(means, covariances, weights);
    mixture.learn(rows, 16, arma::maha_dist, arma::keep_existing, 0, static_cast<arma::uword>(state.range(0)),
                  1e-6, false);
    benchmark::DoNotOptimize(mixture.means.memptr());
  }
}
BENCHMARK(armadillo_gmm)->Arg(1)->Arg(4)->Unit(benchmark::kMillisecond)->UseRealTime();

void armadillo_pca(benchmark::State& state) {
  arma::arma_rng::set_seed(0);
  const arma::mat rows = arma::randn(100000, 50);
  for (auto _ : state) {
    const arma::mat centered = rows.each_row() - arma::mean(rows, 0);
    arma::vec values;
    arma::mat vectors;
    arma::eig_sym(values, vectors, arma::mat(centered.t() * centered / 99999.0));
    benchmark::DoNotOptimize(vectors.memptr());
  }
}
BENCHMARK(armadillo_pca)->Unit(benchmark::kMillisecond)->UseRealTime();

} // namespace
