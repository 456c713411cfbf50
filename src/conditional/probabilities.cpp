#include "conditional/probabilities.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/archive_checks.hpp"
#include "core/index.hpp"
#include "lacuna/conditional/conditional.hpp"
#include "math/special.hpp"

namespace lacuna {

void to_log_probabilities(std::span<double> scores) {
  double log_sum = log_sum_exp(scores);
  if (std::isinf(log_sum)) {
    std::fill(scores.begin(), scores.end(), 0.0);
    log_sum = std::log(static_cast<double>(scores.size()));
  }
  static const double log_least = std::log(least_probability);
  bool raised = false;
  for (double& score : scores) {
    score -= log_sum;
    raised |= score < log_least;
    score = std::max(score, log_least);
  }
  if (!raised) return;
  log_sum = log_sum_exp(scores);
  for (double& score : scores) score -= log_sum;
}

void spread_scores(std::span<const double> scores, std::span<const int> classes, std::span<double> row) {
  std::fill(row.begin(), row.end(), -std::numeric_limits<double>::infinity());
  for (std::size_t k = 0; k < classes.size(); ++k) row[static_cast<std::size_t>(classes[k])] = scores[k];
}

void save_classes(Archive& archive, const std::string& name, std::span<const int> classes) {
  archive.put(name, std::vector<double>(classes.begin(), classes.end()));
}

std::vector<int> load_classes(const Archive& archive, const std::string& name, Index n_classes) {
  const std::vector<double>& saved = archive.vector(name, stored_length(archive, name));
  std::vector<int> classes;
  for (const double value : saved) {
    if (!(value >= 0.0 && value < static_cast<double>(n_classes)) || value != std::floor(value) ||
        (!classes.empty() && value <= classes.back()))
      fail_damaged(name, "holds something else than rising class numbers");
    classes.push_back(static_cast<int>(value));
  }
  return classes;
}

} // namespace lacuna
