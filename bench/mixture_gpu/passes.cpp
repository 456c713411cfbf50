// Passes of a mixture over rows by matrix products, as a fit makes them: seconds of each, beside those of the
// kernels on all cores where there is time for them. Prints JSON. bench/mixture_gpu/compare.py builds it.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "core/index.hpp"
#include "core/parallel.hpp"
#include "core/pass_place.hpp"
#include "density/placed_rows.hpp"
#include "density/product_mixture.hpp"
#include "lacuna/core/observer.hpp"
#include "lacuna/core/random.hpp"

namespace {

using namespace lacuna;

/// Clusters of width 0.3, whose centres lie about 1 from the origin.
struct Problem {
  Problem(Index n_rows, Index d, Index n_components) : rows(n_rows, d), frame(Frame::identity(d)) {
    RandomStream random(1, RandomPurpose::simulation);
    terms.mean = Matrix(n_components, d);
    terms.whitener = Matrix(n_components, d * (d + 1) / 2);
    for (double& m : terms.mean.values()) m = random.normal();
    for (Index k = 0; k < n_components; ++k) {
      double* a = terms.whitener.row(k);
      double log_det = 0.0;
      for (Index i = 0; i < d; ++i) {
        for (Index j = 0; j < i; ++j) *a++ = random.uniform() - 0.5;
        *a = 3.0 + random.uniform();
        log_det += std::log(*a++);
      }
      terms.constant.push_back(log_det);
    }
    constexpr Index rows_per_task = 10000;
    parallel_for((n_rows + rows_per_task - 1) / rows_per_task, 0, [&](Index task) {
      RandomStream own(2, RandomPurpose::simulation, static_cast<std::uint64_t>(task));
      for (Index i = task * rows_per_task; i < std::min(n_rows, (task + 1) * rows_per_task); ++i)
        for (Index j = 0; j < d; ++j)
          rows(i, j) =
              terms.mean(i % n_components, j) + 0.3 * (own.uniform() + own.uniform() + own.uniform() - 1.5);
    });
  }

  Matrix rows;
  Frame frame;
  MixtureTerms terms;
};

template <class Work>
double seconds_of(const Work& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

template <class Work>
void print_seconds(const char* name, int n, const Work& work) {
  std::printf(", \"%s\": [", name);
  for (int i = 0; i < n; ++i) std::printf("%s%.6g", i == 0 ? "" : ", ", seconds_of(work));
  std::printf("]");
}

double largest_difference(const MixtureMoments& a, const MixtureMoments& b) {
  double largest = std::abs(a.log_likelihood / b.log_likelihood - 1.0);
  for (Index k = 0; k < b.n_components(); ++k) {
    largest = std::max(largest, std::abs(a.zeroth[at(k)] / b.zeroth[at(k)] - 1.0));
    const auto spread = [&](Index i) { return std::sqrt(b.second(k, i * (i + 1) / 2 + i)); };
    Index place = 0;
    for (Index i = 0; i < b.n_features(); ++i) {
      largest = std::max(largest,
                         std::abs(a.first(k, i) - b.first(k, i)) / (std::sqrt(b.zeroth[at(k)]) * spread(i)));
      for (Index j = 0; j <= i; ++j, ++place)
        largest =
            std::max(largest, std::abs(a.second(k, place) - b.second(k, place)) / (spread(i) * spread(j)));
    }
  }
  return largest;
}

bool has_same_bits(const MixtureMoments& a, const MixtureMoments& b) {
  return a.log_likelihood == b.log_likelihood && a.zeroth == b.zeroth &&
         std::ranges::equal(a.first.values(), b.first.values()) &&
         std::ranges::equal(a.second.values(), b.second.values());
}

} // namespace

int main(int argc, char** argv) {
  if (argc != 7) {
    std::fprintf(stderr, "usage: %s cpu|cuda ROWS FEATURES COMPONENTS ROUNDS KERNEL_ROUNDS\n", argv[0]);
    return 64;
  }
  const PassPlace place = std::string(argv[1]) == "cuda" ? PassPlace::gpu : PassPlace::torch_on_cpu;
  const int rounds = std::atoi(argv[5]);
  const int kernel_rounds = std::atoi(argv[6]);
  const Problem problem(std::atol(argv[2]), std::atol(argv[3]), std::atol(argv[4]));
  const WeightedRows rows(problem.rows.view());
  std::unique_ptr<PlacedRows> placed;
  const PassesAt passes_at(place);
  const auto load = [&] { placed = PlacedRows::place(rows, problem.frame); };
  const double first_load = seconds_of(load); // starts the device, too
  std::printf("{\"rows\": %s, \"features\": %s, \"components\": %s, \"far\": %td, \"first_load\": %.6g",
              argv[2], argv[3], argv[4], ProductForm(problem.terms).n_far(), first_load);
  print_seconds("load", 1, load);
  const MixtureMoments first = placed->collect(problem.terms).value();
  bool is_same = true;
  for (int i = 0; i < 3; ++i) is_same &= has_same_bits(placed->collect(problem.terms).value(), first);
  std::printf(", \"same_bits\": %s", is_same ? "true" : "false");
  print_seconds("pass", rounds, [&] { placed->collect(problem.terms); });
  std::vector<double> densities(at(rows.size()));
  print_seconds("log_density", rounds, [&] { placed->log_density(problem.terms, densities); });
  if (kernel_rounds > 0) {
    const auto pass = [&] {
      return collect_moments(rows, problem.frame, problem.terms, 0, silent_observer());
    };
    std::printf(", \"difference\": %.3g", largest_difference(first, pass()));
    print_seconds("kernels_pass", kernel_rounds, pass);
  }
  std::printf("}\n");
}
