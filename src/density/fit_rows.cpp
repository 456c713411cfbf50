#include "density/fit_rows.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include "core/parallel.hpp"
#include "density/kmeans_start.hpp"
#include "lacuna/core/errors.hpp"
#include "lacuna/core/random.hpp"
#include "lacuna/data/dataset.hpp"

namespace lacuna {

namespace {

Place in_cell(Index number, Index j) {
  Place place;
  place.row = number;
  place.column = std::to_string(j + 1);
  return place;
}

[[noreturn]] void fail_gap(Index number, Index j, const std::string& user) {
  ErrorParts parts;
  parts.place = in_cell(number, j);
  parts.statement = fmt::format("the value is missing, but {} needs complete rows", user);
  parts.remedy = "leave the row out, or use vb-gmm";
  throw Error(ErrorKind::data, std::move(parts));
}

[[noreturn]] void fail_value(Index number, Index j, double value) {
  ErrorParts parts;
  parts.place = in_cell(number, j);
  parts.found = fmt::format("{:g}", value);
  parts.expected = fmt::format("a feature within +-{:g}", largest_feature);
  parts.remedy = "leave the row out or rescale the column";
  throw Error(ErrorKind::data, std::move(parts));
}

/// Centres of a few clusters are known well from so many rows: a hundred clusters have hundreds each.
constexpr Index most_start_rows = 65536;

void check_rows(const WeightedRows& rows, Index first_row, const std::string& user) {
  for (Index i = 0; i < rows.size(); ++i) {
    const Index number = first_row + i + 1;
    check_weight(rows.weight(i), first_row + i);
    for (Index j = 0; j < rows.n_features(); ++j) {
      const double value = rows.row(i)[j];
      if (std::abs(value) <= largest_feature || (std::isnan(value) && user.empty())) continue;
      if (std::isnan(value)) fail_gap(number, j, user);
      fail_value(number, j, value);
    }
  }
}

/// Keeps the rows of highest priority, weight divided by a uniform random number of the row's own. Where rows
/// were left out, each kept one stands for them with at least the first priority that was not kept: then
/// every weighted sum over the sample has the right expectation (docs/math/vb-mixture.md, section 7).
class PrioritySample {
public:
  explicit PrioritySample(std::uint64_t seed) : seed_(seed) {}

  void offer(const WeightedRows& rows, Index first_row, const Frame& frame, int threads) {
    std::vector<double> priority(static_cast<std::size_t>(rows.size()));
    const RowBlocks blocks(rows.size(), {.min_rows = 8192, .max_blocks = 64});
    parallel_for(blocks.n_blocks, threads, [&](Index block) {
      for (Index i = blocks.first(block); i < blocks.first(block + 1); ++i)
        if (rows.weight(i) > 0.0 && has_value(rows.row(i), frame))
          priority[static_cast<std::size_t>(i)] =
              rows.weight(i) /
              RandomStream(seed_, RandomPurpose::start_rows, static_cast<std::uint64_t>(first_row + i))
                  .uniform();
    });
    for (Index i = 0; i < rows.size(); ++i)
      if (const double p = priority[static_cast<std::size_t>(i)]; p > 0.0)
        keep({p, rows.weight(i), first_row + i, 0}, rows.row(i), rows.n_features());
  }

  StartSample result() {
    double threshold = 0.0;
    if (static_cast<Index>(heap_.size()) > most_start_rows) {
      std::pop_heap(heap_.begin(), heap_.end(), higher);
      threshold = heap_.back().priority;
      heap_.pop_back();
    }
    std::sort(heap_.begin(), heap_.end(), [](const Entry& a, const Entry& b) { return a.number < b.number; });
    const auto n = static_cast<Index>(heap_.size());
    StartSample sample{Matrix(n, n_columns_), {}, false};
    for (Index i = 0; i < n; ++i) {
      const Entry& entry = heap_[static_cast<std::size_t>(i)];
      std::copy_n(values_.begin() + entry.slot * n_columns_, n_columns_, sample.rows.row(i));
      sample.weights.push_back(std::max(entry.weight, threshold));
    }
    return sample;
  }

private:
  struct Entry {
    double priority;
    double weight;
    Index number;
    Index slot; ///< where the row's values are
  };
  static bool higher(const Entry& a, const Entry& b) { return a.priority > b.priority; }

  void keep(Entry entry, const double* row, Index n_columns) {
    n_columns_ = n_columns;
    if (static_cast<Index>(heap_.size()) <= most_start_rows) { // one more, for the threshold
      entry.slot = static_cast<Index>(heap_.size());
      values_.insert(values_.end(), row, row + n_columns);
    } else {
      if (entry.priority <= heap_.front().priority) return;
      std::pop_heap(heap_.begin(), heap_.end(), higher);
      entry.slot = heap_.back().slot;
      heap_.pop_back();
      std::copy_n(row, n_columns, values_.begin() + entry.slot * n_columns);
    }
    heap_.push_back(entry);
    std::push_heap(heap_.begin(), heap_.end(), higher);
  }

  std::uint64_t seed_;
  Index n_columns_ = 0;
  std::vector<Entry> heap_; ///< the lowest priority first
  std::vector<double> values_;
};

} // namespace

SourceSurvey survey_rows(RowSource& source, const std::string& user, const Observer& observer) {
  source.rewind();
  SourceSurvey survey;
  std::optional<RowMomentsSum> sum;
  Index n_columns = 0;
  while (const std::optional<WeightedRows> block = source.next()) {
    stop_if_cancelled(observer);
    if (!sum) {
      n_columns = block->n_features();
      sum.emplace(n_columns);
    }
    if (block->n_features() != n_columns)
      throw Error(ErrorKind::data,
                  fmt::format("the block from row {} on has {} columns, the first one {}; all must agree",
                              survey.n_rows + 1, block->n_features(), n_columns));
    check_rows(*block, survey.n_rows, user);
    sum->add(*block);
    survey.n_rows += block->size();
  }
  if (sum) survey.moments = sum->result();
  if (!(survey.moments.weight > 0.0))
    throw Error(ErrorKind::data, "a density needs at least one row of positive weight");
  return survey;
}

FitRows::FitRows(const WeightedRows& rows, const Frame& frame)
    : frame_(frame), rows_(rows), n_rows_(rows.size()) {
  groups_.emplace(rows, frame);
  placed_ = PlacedRows::place(groups_->complete(), frame);
  total_weight_ = groups_->total_weight();
  missing_log_scale_ = groups_->missing_log_scale(frame);
}

FitRows::FitRows(RowSource& source, const Frame& frame, Index n_rows, const Observer& observer)
    : frame_(frame), source_(&source), n_rows_(n_rows) {
  pass_over_rows(observer, [&](const WeightedRows& rows, Index /*first*/) {
    const RowGroups groups(rows, frame);
    total_weight_ += groups.total_weight();
    missing_log_scale_ += groups.missing_log_scale(frame);
  });
}

void FitRows::pass_over_rows(const Observer& observer,
                             const std::function<void(const WeightedRows&, Index)>& visit) const {
  if (source_ == nullptr) {
    visit(rows_, 0);
    return;
  }
  source_->rewind();
  Index first = 0;
  while (const std::optional<WeightedRows> block = source_->next()) {
    stop_if_cancelled(observer);
    if (block->n_features() != frame_.n_columns())
      throw Error(ErrorKind::data, fmt::format("the block from row {} on has {} columns, the mixture {}",
                                               first + 1, block->n_features(), frame_.n_columns()));
    visit(*block, first);
    first += block->size();
  }
  if (first != n_rows_)
    throw Error(ErrorKind::data,
                fmt::format("the rows changed while they were read again: {} at first, then {}; fit from a "
                            "source that stays the same",
                            n_rows_, first));
}

std::vector<double> FitRows::correlation(const Observer& observer) const {
  constexpr double towards_zero = 1e-6;
  const Index d = frame_.n_features();
  AssignedMoments moments(frame_, Matrix(1, d), false); // the frame's centre is the mean
  pass_over_rows(observer, [&](const WeightedRows& rows, Index /*first*/) {
    moments.add(rows, std::vector<int>(static_cast<std::size_t>(rows.size()), 0), 1);
  });
  const MixtureMoments sums = moments.result();
  std::vector<double> packed(sums.second.row(0), sums.second.row(0) + sums.second.n_cols());
  std::vector<double> root(static_cast<std::size_t>(d));
  std::size_t e = 0;
  for (std::size_t i = 0; i < root.size(); ++i) {
    root[i] = std::sqrt(packed[e + i]);
    for (std::size_t j = 0; j < i; ++j, ++e) {
      const double both = root[i] * root[j]; // zero for a feature that never varies
      packed[e] = both > 0.0 ? (1.0 - towards_zero) * packed[e] / both : 0.0;
    }
    packed[e++] = 1.0;
  }
  return packed;
}

MixtureMoments FitRows::collect(const MixtureTerms& terms, int threads, const Observer& observer) const {
  if (groups_) return collect_moments(*groups_, frame_, terms, threads, observer, placed_.get());
  MixtureMoments total(terms.mean, terms.is_diagonal, frame_.n_levels());
  pass_over_rows(observer, [&](const WeightedRows& rows, Index /*first*/) {
    total.add(collect_moments(RowGroups(rows, frame_), frame_, terms, threads, observer));
  });
  return total;
}

StartSample FitRows::sample(std::uint64_t seed, int threads, const Observer& observer) const {
  if (groups_ && n_rows_ <= most_start_rows) return {Matrix(), {}, true};
  PrioritySample sample(seed);
  pass_over_rows(observer,
                 [&](const WeightedRows& rows, Index first) { sample.offer(rows, first, frame_, threads); });
  return sample.result();
}

WeightedRows FitRows::rows_of(const StartSample& sample) const {
  return sample.is_all ? groups_->with_values() : WeightedRows(sample.rows.view(), sample.weights);
}

MixtureMoments FitRows::start(const StartSample& sample, Index n_centers, bool diagonal, std::uint64_t seed,
                              int threads, const Observer& observer) const {
  const StartCenters centers(sample.is_all ? groups_->with_values()
                                           : WeightedRows(sample.rows.view(), sample.weights),
                             frame_, n_centers, seed, threads, observer);
  AssignedMoments moments(frame_, centers.centers(), diagonal);
  const auto add = [&](const WeightedRows& rows) {
    moments.add(rows, centers.assign(rows, threads), threads);
  };
  if (groups_)
    add(groups_->with_values());
  else
    pass_over_rows(observer, [&](const WeightedRows& rows, Index /*first*/) {
      const RowGroups groups(rows, frame_);
      add(groups.with_values());
    });
  return moments.result();
}

Index component_limit(Index wanted, double total_weight, Index n_columns) {
  const double supported = total_weight / (static_cast<double>(n_columns) + 1.0);
  return std::max<Index>(1, supported < static_cast<double>(wanted) ? static_cast<Index>(supported) : wanted);
}

} // namespace lacuna
