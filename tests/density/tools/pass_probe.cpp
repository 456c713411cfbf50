// One pass of a Gaussian mixture over random rows, for the test that counts instructions:
// pass_probe ROWS FEATURES COMPONENTS
#include <cstdio>
#include <cstdlib>

#include "density/mixture_moments.hpp"
#include "lacuna/core/observer.hpp"
#include "lacuna/core/random.hpp"

int main(int argc, char** argv) {
  using namespace lacuna;
  if (argc != 4) return 64;
  const Index d = std::atol(argv[2]);
  const Index n_components = std::atol(argv[3]);
  Matrix rows(std::atol(argv[1]), d);
  double value = 0.0; // what the numbers are does not matter, but they must be cheap
  for (double& x : rows.values()) x = value = value > 1.0 ? value - 1.9 : value + 0.37;
  MixtureTerms terms;
  terms.mean = Matrix(n_components, d);
  terms.whitener = Matrix(n_components, d * (d + 1) / 2);
  for (double& m : terms.mean.values()) m = value = value > 1.0 ? value - 1.9 : value + 0.37;
  for (double& a : terms.whitener.values()) a = 0.5;
  terms.constant.resize(static_cast<std::size_t>(n_components));
  const MixtureMoments moments =
      collect_moments(WeightedRows(rows.view()), Frame::identity(d), terms, 1, silent_observer());
  std::printf("%g\n", moments.log_likelihood);
}
