#include "evaluation/checks.hpp"

#include <string>

#include <fmt/format.h>

#include "lacuna/core/errors.hpp"

namespace lacuna {

namespace {

// The row is named in the statement: it is counted among the rows with a label, not in a file.
[[noreturn]] void fail(Index row, const std::string& what, const std::string& expected,
                       const std::string& remedy = "") {
  ErrorParts parts;
  parts.statement = fmt::format("row {} of the scored rows: {}", row, what);
  parts.expected = expected;
  parts.remedy = remedy;
  throw Error(ErrorKind::data, std::move(parts));
}

constexpr const char* a_probability = "a number from 0 to 1";

} // namespace

void check_error_probability(Index row, double value) {
  if (!is_probability(value)) fail(row, fmt::format("the error probability is {}", value), a_probability);
}

void check_n_probabilities(Index row, std::size_t n_found, Index n_classes) {
  if (static_cast<Index>(n_found) != n_classes)
    fail(row, fmt::format("it has {} probabilities", n_found), std::to_string(n_classes));
}

void check_scored_row(Index row, int label, int prediction, double error_probability,
                      std::span<const double> probabilities) {
  const auto n_classes = static_cast<Index>(probabilities.size());
  if (label < 0 || label >= n_classes)
    fail(row, fmt::format("the true class is {}", label), fmt::format("0 to {}", n_classes - 1),
         "leave out rows without a label");
  if (prediction < 0 || prediction >= n_classes)
    fail(row, fmt::format("the predicted class is {}", prediction), fmt::format("0 to {}", n_classes - 1));
  check_error_probability(row, error_probability);
  for (Index k = 0; k < n_classes; ++k) {
    const double p = probabilities[static_cast<std::size_t>(k)];
    if (!is_probability(p)) fail(row, fmt::format("the probability of class {} is {}", k, p), a_probability);
  }
}

} // namespace lacuna
