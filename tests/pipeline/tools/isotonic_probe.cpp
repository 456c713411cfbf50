// Calibrates probabilities as the plain models of a comparison are calibrated, for the test that compares
// them with scikit-learn: isotonic_probe HELD_OUT.npy LABELS.npy WEIGHTS.npy ASKED.npy
#include <cstdio>
#include <exception>

#include "data/array.hpp"
#include "pipeline/class_isotonic.hpp"

namespace {

void run(char** paths) {
  const lacuna::Matrix held_out = lacuna::read_array(paths[0]);
  const lacuna::Matrix label_cells = lacuna::read_array(paths[1]);
  const lacuna::Matrix weights = lacuna::read_array(paths[2]);
  lacuna::Matrix asked = lacuna::read_array(paths[3]);
  const std::vector<int> labels(label_cells.values().begin(), label_cells.values().end());
  const lacuna::ClassIsotonic isotonic({held_out.view(), labels, weights.values()});
  for (lacuna::Index i = 0; i < asked.n_rows(); ++i) {
    const std::span<double> row{asked.row(i), static_cast<std::size_t>(asked.n_cols())};
    isotonic.apply(row);
    for (const double p : row) std::printf("%.17g ", p);
    std::printf("\n");
  }
}

} // namespace

int main(int argc, char** argv) {
  if (argc != 5) return 64;
  try {
    run(argv + 1);
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
