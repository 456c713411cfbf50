#include "lacuna/evaluation/scored_rows.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "core/interruption.hpp"
#include "evaluation/bins.hpp"
#include "evaluation/checks.hpp"
#include "evaluation/groups.hpp"
#include "lacuna/core/errors.hpp"

namespace lacuna {

std::vector<ErrorGroup> grouped(std::vector<ErrorOutcome> outcomes) {
  stop_if_asked();
  std::ranges::sort(outcomes, {}, &ErrorOutcome::error_probability);
  std::vector<ErrorGroup> groups;
  for (const ErrorOutcome& outcome : outcomes) {
    if (groups.empty() || groups.back().error_probability != outcome.error_probability)
      groups.push_back({outcome.error_probability + 0.0, 0, 0}); // -0.0 becomes 0.0
    ++groups.back().n;
    groups.back().n_errors += outcome.is_error ? 1 : 0;
  }
  return groups;
}

std::vector<ErrorGroup> error_groups(const ScoredRows& rows) {
  const std::size_t n = rows.label.size();
  if (rows.prediction.size() != n || rows.error_probability.size() != n)
    throw Error(ErrorKind::data,
                fmt::format("{} labels, {} predictions and {} error probabilities: there must be one of each "
                            "per row",
                            n, rows.prediction.size(), rows.error_probability.size()));
  std::vector<ErrorOutcome> outcomes;
  outcomes.reserve(n);
  for (std::size_t i = 0; i < n; ++i) {
    check_error_probability(static_cast<Index>(i) + 1, rows.error_probability[i]);
    outcomes.push_back({rows.error_probability[i], rows.label[i] != rows.prediction[i]});
  }
  return grouped(std::move(outcomes));
}

EqualMassCuts::EqualMassCuts(std::span<const ErrorGroup> groups) {
  twice_middle_.reserve(groups.size());
  for (const ErrorGroup& group : groups) {
    twice_middle_.push_back(2 * n_rows_ + group.n);
    n_rows_ += group.n;
  }
}

std::vector<Index> EqualMassCuts::first_groups(Index n_bins) const {
  std::vector<Index> firsts;
  auto from = twice_middle_.begin();
  for (Index bin = 0; bin < n_bins; ++bin) {
    // Whole numbers only, so that a middle on the edge falls the same way everywhere.
    from = std::partition_point(from, twice_middle_.end(),
                                [&](Index twice) { return n_bins * twice < 2 * n_rows_ * bin; });
    if (from == twice_middle_.end()) break;
    const Index first = from - twice_middle_.begin();
    if (firsts.empty() || firsts.back() != first) firsts.push_back(first);
  }
  return firsts;
}

} // namespace lacuna
