#include "conditional/logistic_inputs.hpp"

#include <algorithm>
#include <cmath>

#include "core/archive_checks.hpp"
#include "core/index.hpp"

namespace lacuna {

namespace {

/// A value forty deviations away, as heavy tails bring them, would rule the slope of its column alone, and a
/// row to be judged could lie farther out than any that was learned from.
constexpr double farthest_value = 5.0;

/// More inputs than a machine has memory for; what a damaged file may claim is refused before it is summed.
constexpr Index largest_levels = Index{1} << 30;

} // namespace

LogisticInputs::LogisticInputs(ColumnScales scales, std::vector<Index> levels, std::vector<bool> has_gaps)
    : scales_(std::move(scales)), levels_(std::move(levels)), has_gaps_(std::move(has_gaps)) {
  for (std::size_t j = 0; j < levels_.size(); ++j) {
    n_values_ += levels_[j] > 0 ? 0 : has_gaps_[j] ? 2 : 1;
    n_categorical_ += levels_[j] > 0 ? 1 : 0;
    n_inputs_ += static_cast<std::size_t>(levels_[j]);
  }
  n_inputs_ += n_values_;
}

LogisticInputs LogisticInputs::fit(const DatasetView& data, const LabeledRows& labeled) {
  const std::size_t d = at(data.n_features());
  std::vector<Index> levels = data.levels.empty() ? std::vector<Index>(d, 0) : data.levels;
  std::vector<bool> has_gaps(d, false);
  for (const Index row : labeled.rows)
    for (std::size_t j = 0; j < d; ++j)
      if (levels[j] == 0 && std::isnan(data.features.row(row)[j])) has_gaps[j] = true;
  return {ColumnScales::fit(data, labeled), std::move(levels), std::move(has_gaps)};
}

void LogisticInputs::read(const double* row, std::span<double> values,
                          std::span<std::int32_t> switches) const {
  std::size_t value = 0;
  std::size_t categorical = 0;
  std::size_t first_switch = n_values_;
  for (std::size_t j = 0; j < levels_.size(); ++j) {
    const double cell = row[j];
    if (levels_[j] > 0) {
      const bool is_known = cell >= 0.0 && cell < static_cast<double>(levels_[j]);
      switches[categorical++] =
          is_known ? static_cast<std::int32_t>(first_switch + static_cast<std::size_t>(cell)) : none;
      first_switch += static_cast<std::size_t>(levels_[j]);
      continue;
    }
    const bool is_gap = std::isnan(cell);
    values[value++] =
        is_gap ? 0.0 : std::clamp(scales_.standardised(j, cell), -farthest_value, farthest_value);
    if (has_gaps_[j]) values[value++] = is_gap ? 1.0 : 0.0;
  }
}

void LogisticInputs::save(Archive& archive, const std::string& prefix) const {
  scales_.save(archive, prefix);
  archive.put(prefix + "levels", std::vector<double>(levels_.begin(), levels_.end()));
  archive.put(prefix + "has_gaps", std::vector<double>(has_gaps_.begin(), has_gaps_.end()));
}

LogisticInputs LogisticInputs::load(const Archive& archive, const std::string& prefix, Index n_features) {
  ColumnScales scales = ColumnScales::load(archive, prefix, n_features);
  const std::vector<double>& saved_levels = archive.vector(prefix + "levels", n_features);
  const std::vector<double>& saved_gaps = archive.vector(prefix + "has_gaps", n_features);
  std::vector<Index> levels;
  std::vector<bool> has_gaps;
  double n_switches = 0.0;
  for (std::size_t j = 0; j < saved_levels.size(); ++j) {
    const double n = saved_levels[j];
    n_switches += n;
    if (!(n >= 0.0 && n_switches <= static_cast<double>(largest_levels)) || n != std::floor(n))
      fail_damaged(prefix + "levels", "holds something else than numbers of categories");
    if (saved_gaps[j] != 0.0 && saved_gaps[j] != 1.0)
      fail_damaged(prefix + "has_gaps", "holds something else than 0 and 1");
    levels.push_back(static_cast<Index>(n));
    has_gaps.push_back(saved_gaps[j] == 1.0);
  }
  return {std::move(scales), std::move(levels), std::move(has_gaps)};
}

} // namespace lacuna
