// Fits a mixture to an NPY file without keeping its rows, and says what that took
// (bench/fit_a_large_file.py).

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>

#include <nlohmann/json.hpp>
#include <sys/resource.h>

#include "lacuna/data/row_source.hpp"
#include "lacuna/density/families.hpp"

namespace {

using namespace lacuna;

nlohmann::json fit_file(const std::string& path, Index n_features, Index n_components, int threads) {
  TableSchema schema;
  for (Index j = 0; j < n_features; ++j)
    schema.columns.push_back({"c" + std::to_string(j), false, {}, false});
  TableRows rows(path, schema, {});
  const VbMixtureOptions options{.components = n_components};
  DensityFitContext context;
  context.threads = threads;
  const auto start = std::chrono::steady_clock::now();
  const auto density = make_density_family(options)->fit_blocks(rows, context);
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return {{"seconds", seconds},
          {"n_iterations", density->summary().n_iterations},
          {"n_components", density->summary().n_components},
          {"stop_reason", to_string(density->summary().stop_reason)},
          {"objective", density->summary().objective},
          {"peak_megabytes", static_cast<double>(usage.ru_maxrss) / 1024.0}};
}

} // namespace

int main(int argc, char** argv) {
  if (argc != 5) {
    std::fprintf(stderr, "usage: stream_probe FILE.npy FEATURES COMPONENTS THREADS\n");
    return 64;
  }
  std::puts(fit_file(argv[1], std::atol(argv[2]), std::atol(argv[3]), std::atoi(argv[4])).dump().c_str());
  return 0;
}
