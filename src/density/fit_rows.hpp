#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "density/mixture_moments.hpp"
#include "density/placed_rows.hpp"
#include "density/row_groups.hpp"
#include "lacuna/core/observer.hpp"
#include "lacuna/data/row_source.hpp"
#include "math/moments.hpp"

namespace lacuna {

/// What a first pass over a source tells.
struct SourceSurvey {
  RowMoments moments;
  Index n_rows = 0;
};

/// Reads all rows once. Throws Error(data), naming row and column, when a value is infinite or too large, is
/// missing although `user` needs it (`user` empty: nobody does), or a weight is no weight.
SourceSurvey survey_rows(RowSource& source, const std::string& user, const Observer& observer);

/// Rows in which a start is sought: all, or so many of them, taken by lot, that more would not find better
/// centres.
struct StartSample {
  Matrix rows; ///< of those taken by lot
  std::vector<double> weights;
  bool is_all = false; ///< the rows of the fit themselves
};

/// The rows of a fit, in memory or passing by. The frame and the rows must outlive this.
class FitRows {
public:
  FitRows(const WeightedRows& rows, const Frame& frame);
  FitRows(RowSource& source, const Frame& frame, Index n_rows, const Observer& observer);

  double total_weight() const { return total_weight_; }
  double missing_log_scale() const { return missing_log_scale_; }
  const Frame& frame() const { return frame_; }

  /// One pass: the correlations of the numeric features, packed lower triangle. They are drawn towards zero
  /// by a millionth, so that there is an inverse even for two rows.
  std::vector<double> correlation(const Observer& observer) const;
  /// One pass: responsibilities under `terms` and their moments.
  MixtureMoments collect(const MixtureTerms& terms, int threads, const Observer& observer) const;

  /// The rows a start needs; the same whether they are in memory or not.
  StartSample sample(std::uint64_t seed, int threads, const Observer& observer) const;
  WeightedRows rows_of(const StartSample& sample) const;
  /// Moments of all rows, each in the cluster of its nearest centre; the centres come from the sample.
  MixtureMoments start(const StartSample& sample, Index n_centers, bool diagonal, std::uint64_t seed,
                       int threads, const Observer& observer) const;

private:
  /// Calls visit(rows, number of the first one) for every block.
  void pass_over_rows(const Observer& observer,
                      const std::function<void(const WeightedRows&, Index)>& visit) const;

  const Frame& frame_;
  WeightedRows rows_{MatrixView{}};
  RowSource* source_ = nullptr;
  std::optional<RowGroups> groups_;          ///< of rows in memory
  std::unique_ptr<const PlacedRows> placed_; ///< the complete ones of them; null: they stay where they are
  Index n_rows_ = 0;
  double total_weight_ = 0.0;
  double missing_log_scale_ = 0.0;
};

/// No more components than the rows could tell apart.
Index component_limit(Index wanted, double total_weight, Index n_columns);

} // namespace lacuna
