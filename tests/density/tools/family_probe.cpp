// What the Python tests and comparisons need to see of the families gmm and kde.

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>

#include <nlohmann/json.hpp>

#include "core/parallel.hpp"
#include "density/gmm.hpp"
#include "lacuna/density/families.hpp"
#include "tests/density/test_data.hpp"
#include "tests/density/tools/rows_json.hpp"

namespace {

using namespace lacuna;
using lacuna::testing::rows_of;
using nlohmann::json;

json parameters_json(const Gmm& model) {
  return {{"center", model.frame().center},
          {"scale", model.frame().scale},
          {"weights", model.parameters().weight},
          {"mean", rows_of(model.parameters().mean)},
          {"whitener", rows_of(model.parameters().whitener)}};
}

/// A mixture a few steps from its start, its densities, and the mixture after one more step.
json show_gmm(CovarianceType covariance) {
  const Matrix rows = lacuna::testing::random_blobs(31, 500, 3, 4, 3.0);
  const auto family =
      make_density_family(GmmOptions{.components = 4, .covariance = covariance, .max_iterations = 3});
  const auto density = family->fit(WeightedRows(rows.view()), {});
  DensityFitContext context;
  context.warm_start = density.get();
  context.single_step = true;
  const auto next = family->fit(WeightedRows(rows.view()), context);
  return {{"rows", rows_of(rows)},
          {"before", parameters_json(dynamic_cast<const Gmm&>(*density))},
          {"after", parameters_json(dynamic_cast<const Gmm&>(*next))},
          {"log_density", lacuna::testing::log_densities(*density, rows)},
          {"bic", density->summary().measures.at("bic")},
          {"aic", density->summary().measures.at("aic")}};
}

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// Fits a kde to rows of a file of doubles (rows, weights, questions one after another), writes the log
/// densities of the questions and says how long it took.
json run_kde(char** argv) {
  const auto n = static_cast<Index>(std::atol(argv[0]));
  const auto m = static_cast<Index>(std::atol(argv[1]));
  const auto d = static_cast<Index>(std::atol(argv[2]));
  const KdeOptions options{.kde_bandwidth = static_cast<KdeBandwidth>(std::atoi(argv[3])),
                           .kde_tolerance = std::atof(argv[4])};
  DensityFitContext context;
  context.threads = std::atoi(argv[5]);
  Matrix rows(n, d);
  std::vector<double> weights(static_cast<std::size_t>(n));
  Matrix questions(m, d);
  std::ifstream in(argv[6], std::ios::binary);
  const auto read = [&](std::span<double> to) {
    in.read(reinterpret_cast<char*>(to.data()), static_cast<std::streamsize>(to.size_bytes()));
  };
  read(rows.values());
  read(weights);
  read(questions.values());
  if (!in) throw std::runtime_error("the file is too short");
  const auto start = std::chrono::steady_clock::now();
  const auto density = make_density_family(options)->fit(WeightedRows(rows.view(), weights), context);
  const double fit_seconds = seconds_since(start);
  std::vector<double> result(static_cast<std::size_t>(m));
  const auto fitted = std::chrono::steady_clock::now();
  constexpr Index block = 1024;
  parallel_for((m + block - 1) / block, context.threads, [&](Index task) {
    const Index first = task * block;
    const Index count = std::min(block, m - first);
    density->log_density(questions.view().middle_rows(first, count),
                         {result.data() + first, static_cast<std::size_t>(count)});
  });
  const double score_seconds = seconds_since(fitted);
  std::ofstream(argv[7], std::ios::binary)
      .write(reinterpret_cast<const char*>(result.data()), static_cast<std::streamsize>(m * 8));
  return {{"fit_seconds", fit_seconds},
          {"score_seconds", score_seconds},
          {"bandwidth_factor", density->summary().measures.at("bandwidth_factor")}};
}

} // namespace

int main(int argc, char** argv) {
  const std::string mode = argc > 1 ? argv[1] : "";
  if (mode == "gmm" && argc == 3) {
    std::puts(show_gmm(static_cast<CovarianceType>(std::atoi(argv[2]))).dump().c_str());
    return 0;
  }
  if (mode == "kde" && argc == 10) {
    std::puts(run_kde(argv + 2).dump().c_str());
    return 0;
  }
  std::fprintf(stderr,
               "usage: family_probe gmm COVARIANCE(0-3)\n"
               "       family_probe kde ROWS QUESTIONS FEATURES BANDWIDTH(0-2) TOLERANCE THREADS IN OUT\n");
  return 64;
}
