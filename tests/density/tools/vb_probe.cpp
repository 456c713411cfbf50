// What the Python tests need to see of the variational mixture: a fit with all its inner numbers, and its
// memory.

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>

#include <nlohmann/json.hpp>

#include "density/kernels.hpp"
#include "density/mixture_moments.hpp"
#include "density/own_families.hpp"
#include "density/vb_mixture.hpp"
#include "tests/density/test_data.hpp"
#include "tests/density/tools/rows_json.hpp"

namespace {

using namespace lacuna;
using lacuna::testing::rows_of;
using nlohmann::json;

/// Responsibilities of every row under the fit's expected-log terms.
Matrix responsibilities(const VbMixture& model, const Matrix& rows) {
  const MixtureTerms terms = make_terms(model.prior(), model.posterior(), DensityForm::expected_log);
  Matrix result(rows.n_rows(), terms.n_components());
  RowBlock block(model.frame(), terms.n_components());
  const WeightedRows all(rows.view());
  for (Index first = 0; first < rows.n_rows(); first += block.capacity()) {
    block.load(all, first, std::min(block.capacity(), rows.n_rows() - first));
    evaluate_terms(terms, block);
    kernels().responsibilities(block.logits(), block.stride(), block.n_padded(), terms.n_components(),
                               block.weights(), block.totals());
    for (Index b = 0; b < block.n_rows(); ++b)
      for (Index k = 0; k < terms.n_components(); ++k)
        result(first + b, k) = block.logits()[k * block.stride() + b];
  }
  return result;
}

json fit_and_show(CovarianceType covariance, WeightPrior weight_prior) {
  const Matrix rows = lacuna::testing::random_blobs(31, 500, 3, 4, 3.0);
  VbMixtureOptions options;
  options.covariance = covariance;
  options.weight_prior = weight_prior;
  options.components = 4;
  options.mean_precision = 0.8;
  options.degrees_of_freedom = 3.5;
  options.covariance_scale = 0.9;
  options.weight_concentration = 0.7;
  const auto density = VbMixtureFamily(options).fit(WeightedRows(rows.view()), {});
  const auto& model = dynamic_cast<const VbMixture&>(*density);
  const VbPosterior& q = model.posterior();
  std::vector<double> log_density(static_cast<std::size_t>(rows.n_rows()));
  model.log_density(rows.view(), log_density);
  return {{"rows", rows_of(rows)},
          {"center", model.frame().center},
          {"scale", model.frame().scale},
          {"component_rows", q.rows},
          {"beta", q.beta},
          {"nu", q.nu},
          {"mean", rows_of(q.mean)},
          {"whitener", rows_of(q.whitener)},
          {"weights", mean_weights(model.prior(), q)},
          {"responsibilities", rows_of(responsibilities(model, rows))},
          {"log_density", log_density}};
}

double peak_kilobytes() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with("VmHWM:")) return std::strtod(line.c_str() + 6, nullptr);
  return 0.0;
}

/// Peak memory of data and fit together, as a multiple of the data.
double memory_ratio(Index n, Index d, Index n_components) {
  const double before = peak_kilobytes();
  Matrix rows(n, d);
  RandomStream random(0, RandomPurpose::simulation);
  for (double& v : rows.values()) v = random.normal();
  VbMixtureOptions options;
  options.components = n_components;
  options.max_iterations = 5;
  VbMixtureFamily(options).fit(WeightedRows(rows.view()), {});
  return (peak_kilobytes() - before) * 1024.0 / static_cast<double>(n * d * 8);
}

} // namespace

int main(int argc, char** argv) {
  const std::string mode = argc > 1 ? argv[1] : "";
  if (mode == "memory") {
    std::printf("%.3f\n", memory_ratio(60000, 5, 50));
    return 0;
  }
  if (mode != "fit" || argc != 4) {
    std::fprintf(stderr, "usage: vb_probe memory | vb_probe fit COVARIANCE(0-3) WEIGHT_PRIOR(0-1)\n");
    return 64;
  }
  std::puts(fit_and_show(static_cast<CovarianceType>(std::atoi(argv[2])),
                         static_cast<WeightPrior>(std::atoi(argv[3])))
                .dump()
                .c_str());
  return 0;
}
