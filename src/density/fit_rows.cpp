#include "density/fit_rows.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include "data/moments_pass.hpp"
#include "density/kmeans_start.hpp"
#include "lacuna/core/errors.hpp"
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

/// The first pass over rows that somebody else hands out.
class SurveyPass : public MomentsPass {
public:
  explicit SurveyPass(std::string user) : user_(std::move(user)) {}

  void add(const PassingRows& rows, int threads, const Observer& observer) override {
    check_rows(rows.rows, rows.first, user_);
    MomentsPass::add(rows, threads, observer);
  }

private:
  std::string user_; ///< who needs complete rows
};

} // namespace

SourceSurvey survey_rows(AllRows& source, const std::string& user, int threads, const Observer& observer) {
  SurveyPass pass(user);
  const Index n_rows = source.show(pass, threads, observer);
  SourceSurvey survey{pass.result(), n_rows};
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

FitRows::FitRows(AllRows& source, const Frame& frame, Index n_rows, int threads, const Observer& observer)
    : frame_(frame), source_(&source), n_rows_(n_rows) {
  WeightPass weights(frame);
  show(weights, threads, observer);
  total_weight_ = weights.total_weight();
  missing_log_scale_ = weights.missing_log_scale();
}

void FitRows::show(RowPass& pass, int threads, const Observer& observer) const {
  if (source_ == nullptr) {
    pass.add({.rows = rows_}, threads, observer);
    return;
  }
  const Index n = source_->show(pass, threads, observer);
  if (n != n_rows_)
    throw Error(ErrorKind::data,
                fmt::format("the rows changed while they were read again: {} at first, then {}; fit from a "
                            "source that stays the same",
                            n_rows_, n));
}

std::vector<double> FitRows::correlation(int threads, const Observer& observer) const {
  constexpr double towards_zero = 1e-6;
  const Index d = frame_.n_features();
  AssignedPass pass(frame_, {}, false); // the frame's centre is the mean
  show(pass, threads, observer);
  const MixtureMoments sums = pass.result();
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
  CollectPass pass(frame_, terms);
  show(pass, threads, observer);
  return pass.take();
}

StartSample FitRows::sample(std::uint64_t seed, int threads, const Observer& observer) const {
  if (groups_ && n_rows_ <= most_start_rows) return {Matrix(), {}, true};
  // Unless weights differ widely, the sample ends near twice this priority (docs/math/vb-mixture.md, section
  // 7).
  const double likely = 0.5 * total_weight_ / static_cast<double>(most_start_rows);
  SamplePass pass(frame_, seed, likely);
  show(pass, threads, observer);
  if (!pass.is_short()) return pass.result();
  SamplePass full(frame_, seed, 0.0);
  show(full, threads, observer);
  return full.result();
}

WeightedRows FitRows::rows_of(const StartSample& sample) const {
  return sample.is_all ? groups_->with_values() : WeightedRows(sample.rows.view(), sample.weights);
}

MixtureMoments FitRows::start(const StartSample& sample, Index n_centers, bool diagonal, std::uint64_t seed,
                              int threads, const Observer& observer) const {
  AssignedPass pass(frame_, StartCenters(rows_of(sample), frame_, n_centers, seed, threads, observer),
                    diagonal);
  if (groups_)
    pass.add_valued(groups_->with_values(), threads);
  else
    show(pass, threads, observer);
  return pass.result();
}

Index component_limit(Index wanted, double total_weight, Index n_columns) {
  const double supported = total_weight / (static_cast<double>(n_columns) + 1.0);
  return std::max<Index>(1, supported < static_cast<double>(wanted) ? static_cast<Index>(supported) : wanted);
}

} // namespace lacuna
