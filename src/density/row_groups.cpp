#include "density/row_groups.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <unordered_map>

#include "core/index.hpp"
#include "math/moments.hpp"

namespace lacuna {

namespace {

/// One letter per numeric feature, 1 where the row lacks it. False when it lacks none.
bool read_pattern(const double* row, const Frame& frame, std::string& pattern) {
  bool has_gap = false;
  for (Index j = 0; j < frame.n_features(); ++j) {
    const bool is_missing = std::isnan(row[frame.columns[at(j)]]);
    pattern[at(j)] = is_missing ? '1' : '0';
    has_gap |= is_missing;
  }
  return has_gap;
}

bool has_category(const double* row, const Frame& frame) {
  return std::any_of(frame.categories.begin(), frame.categories.end(), [&](const CategoryColumn& category) {
    return row[category.column] >= 0.0 && row[category.column] < static_cast<double>(category.n_levels);
  });
}

GapPattern make_pattern(const std::string& letters) {
  GapPattern pattern;
  for (std::size_t j = 0; j < letters.size(); ++j)
    (letters[j] == '1' ? pattern.missing : pattern.present).push_back(static_cast<Index>(j));
  return pattern;
}

bool any_gap(const WeightedRows& rows, const Frame& frame, std::string& pattern) {
  const auto n_columns = static_cast<std::size_t>(rows.n_features());
  for (Index i = 0; i < rows.size(); ++i)
    if (has_missing({rows.row(i), n_columns}) && read_pattern(rows.row(i), frame, pattern)) return true;
  return false;
}

} // namespace

bool has_value(const double* row, const Frame& frame) {
  return std::any_of(frame.columns.begin(), frame.columns.end(),
                     [&](Index j) { return !std::isnan(row[j]); }) ||
         has_category(row, frame);
}

RowGroups::RowGroups(const WeightedRows& rows, const Frame& frame)
    : features_(rows.features()), complete_(rows), with_values_(rows) {
  std::string pattern(at(frame.n_features()), '0');
  for (Index i = 0; i < rows.size(); ++i) total_weight_ += rows.weight(i);
  // With categories alone, a row without any is complete and empty; nothing in it counts anywhere.
  if (!any_gap(rows, frame, pattern)) return;
  total_weight_ = 0.0;
  std::unordered_map<std::string, std::size_t> place; // groups stand in the order of their first rows
  for (Index i = 0; i < rows.size(); ++i) {
    const double* const row = rows.row(i);
    const double weight = rows.weight(i);
    if (!read_pattern(row, frame, pattern)) {
      complete_rows_.push_back(rows.index(i));
      complete_weights_.push_back(weight);
      total_weight_ += weight;
    } else if (pattern.find('0') == pattern.npos &&
               !has_category(row, frame)) { // by the pattern as it was read
      empty_rows_.push_back(i);
    } else if (weight > 0.0) {
      total_weight_ += weight;
      const auto [found, is_new] = place.emplace(pattern, groups_.size());
      if (is_new) groups_.push_back({make_pattern(pattern), {}, {}});
      groups_[found->second].rows.push_back(rows.index(i));
      groups_[found->second].weights.push_back(weight);
    }
  }
  complete_ = WeightedRows(features_, complete_rows_, complete_weights_);
  if (empty_rows_.empty()) return;
  auto next_empty = empty_rows_.begin();
  for (Index i = 0; i < rows.size(); ++i) {
    if (next_empty != empty_rows_.end() && *next_empty == i) {
      ++next_empty;
      continue;
    }
    value_rows_.push_back(rows.index(i));
    value_weights_.push_back(rows.weight(i));
  }
  with_values_ = WeightedRows(features_, value_rows_, value_weights_);
}

std::vector<GapPiece> RowGroups::pieces(Index most_rows) const {
  std::vector<GapPiece> result;
  for (const GapGroup& group : groups_) {
    const auto n = static_cast<Index>(group.rows.size());
    for (Index first = 0; first < n; first += most_rows)
      result.push_back({&group, first, std::min(most_rows, n - first)});
  }
  return result;
}

double RowGroups::missing_log_scale(const Frame& frame) const {
  double sum = 0.0;
  for (const GapGroup& group : groups_) {
    double weight = 0.0;
    for (const double w : group.weights) weight += w;
    for (const Index j : group.pattern.missing) sum += weight * std::log(frame.scale[at(j)]);
  }
  return sum;
}

} // namespace lacuna
