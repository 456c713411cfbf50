#include "pipeline/row_sample.hpp"

#include <algorithm>

#include "core/index.hpp"
#include "lacuna/core/random.hpp"
#include "lacuna/data/dataset.hpp"

namespace lacuna {

namespace {

// Wider tables are images and the like, whose columns have no meaning to put into words.
constexpr Index max_columns = 64;

} // namespace

RowSample::RowSample(Kind kind, Shape shape)
    : n_columns_(shape.n_columns <= max_columns ? shape.n_columns : 0), n_features_(shape.n_features) {
  samples_[0].limit = kind == Kind::train ? max_unlabeled_drawn : 0;
  samples_[1].limit = kind == Kind::train ? max_labeled_drawn : max_test_drawn;
}

void RowSample::add(const double* columns, const double* features, int label, double log_ratio) {
  const Index row = n_rows();
  log_ratio_.push_back(log_ratio);
  Sample& sample = samples_[label == missing_label ? 0 : 1];
  const std::uint64_t key =
      RandomStream(0, RandomPurpose::report_rows, static_cast<std::uint64_t>(row)).next();
  if (static_cast<Index>(sample.chosen.size()) < sample.limit) {
    const auto slot = static_cast<Index>(label_.size());
    columns_.resize(at((slot + 1) * n_columns_));
    features_.resize(at((slot + 1) * n_features_));
    label_.resize(at(slot + 1));
    sample.chosen.push({key, row, slot});
    keep(slot, columns, features, label);
  } else if (sample.limit > 0 && key < sample.chosen.top().key) {
    const Index slot = sample.chosen.top().slot;
    sample.chosen.pop();
    sample.chosen.push({key, row, slot});
    keep(slot, columns, features, label);
  }
}

void RowSample::keep(Index slot, const double* columns, const double* features, int label) {
  std::copy_n(columns, n_columns_, columns_.begin() + slot * n_columns_);
  std::copy_n(features, n_features_, features_.begin() + slot * n_features_);
  label_[at(slot)] = label;
}

RowSample::Drawn RowSample::drawn() const {
  std::vector<Candidate> candidates;
  for (const Sample& sample : samples_)
    for (std::priority_queue<Candidate> rest = sample.chosen; !rest.empty(); rest.pop())
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
