#include "pipeline/page_rows.hpp"

#include <algorithm>

#include "lacuna/core/random.hpp"

namespace lacuna {

namespace {

// Wider tables are images and the like, whose columns have no meaning to put into words.
constexpr Index max_columns = 64;

std::size_t at(Index i) {
  return static_cast<std::size_t>(i);
}

} // namespace

PageRows::PageRows(Index n_columns, Index n_features)
    : n_columns_(n_columns <= max_columns ? n_columns : 0), n_features_(n_features) {}

void PageRows::add(const double* columns, const double* features, int label, double log_ratio) {
  const Index row = n_rows();
  log_ratio_.push_back(log_ratio);
  const auto n_chosen = static_cast<Index>(chosen_.size());
  const std::uint64_t key =
      RandomStream(0, RandomPurpose::report_rows, static_cast<std::uint64_t>(row)).next();
  if (n_chosen < max_drawn_rows) {
    columns_.resize(at((n_chosen + 1) * n_columns_));
    features_.resize(at((n_chosen + 1) * n_features_));
    label_.resize(at(n_chosen + 1));
    chosen_.push({key, row, n_chosen});
    keep(n_chosen, columns, features, label);
  } else if (const Candidate last = chosen_.top(); key < last.key) {
    chosen_.pop();
    chosen_.push({key, row, last.slot});
    keep(last.slot, columns, features, label);
  }
}

void PageRows::keep(Index slot, const double* columns, const double* features, int label) {
  std::copy_n(columns, n_columns_, columns_.begin() + slot * n_columns_);
  std::copy_n(features, n_features_, features_.begin() + slot * n_features_);
  label_[at(slot)] = label;
}

PageRows::Drawn PageRows::drawn() const {
  std::vector<Candidate> candidates;
  for (std::priority_queue<Candidate> rest = chosen_; !rest.empty(); rest.pop())
    candidates.push_back(rest.top());
  std::sort(candidates.begin(), candidates.end(),
            [](const Candidate& a, const Candidate& b) { return a.row < b.row; });
  Drawn drawn;
  const auto n = static_cast<Index>(candidates.size());
  drawn.columns = Matrix(n, n_columns_);
  drawn.features = Matrix(n, n_features_);
  for (Index i = 0; i < n; ++i) {
    const Candidate& candidate = candidates[at(i)];
    drawn.row.push_back(candidate.row);
    drawn.label.push_back(label_[at(candidate.slot)]);
    std::copy_n(columns_.begin() + candidate.slot * n_columns_, n_columns_, drawn.columns.row(i));
    std::copy_n(features_.begin() + candidate.slot * n_features_, n_features_, drawn.features.row(i));
  }
  return drawn;
}

} // namespace lacuna
