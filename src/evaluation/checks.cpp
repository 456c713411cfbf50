#include "evaluation/checks.hpp"

#include <string>

#include <fmt/format.h>

#include "lacuna/core/errors.hpp"

namespace lacuna {

namespace {

[[noreturn]] void fail(Index row, const std::string& what) {
  throw Error(ErrorKind::data, fmt::format("row {} of the scored rows: {}", row, what));
}

} // namespace

void check_scored_row(Index row, int label, int prediction, double error_probability,
                      std::span<const double> probabilities) {
  const auto n_classes = static_cast<Index>(probabilities.size());
  if (label < 0 || label >= n_classes)
    fail(row, fmt::format("the true class is {}, expected 0 to {}; leave out rows without a label", label,
                          n_classes - 1));
  if (prediction < 0 || prediction >= n_classes)
    fail(row, fmt::format("the predicted class is {}, expected 0 to {}", prediction, n_classes - 1));
  if (!is_probability(error_probability))
    fail(row, fmt::format("the error probability is {}, expected a number from 0 to 1", error_probability));
  for (Index k = 0; k < n_classes; ++k) {
    const double p = probabilities[static_cast<std::size_t>(k)];
    if (!is_probability(p))
      fail(row, fmt::format("the probability of class {} is {}, expected a number from 0 to 1", k, p));
  }
}

} // namespace lacuna
