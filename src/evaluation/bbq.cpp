#include <algorithm>
#include <cmath>
#include <set>

#include "evaluation/bins.hpp"
#include "evaluation/calibrator_fits.hpp"
#include "math/special.hpp"

namespace lacuna {

namespace {

/// The prior counts as this many rows, spread over the bins.
constexpr double prior_rows = 2.0;
/// Bins per cube root of the number of rows: from its tenth to ten times it.
constexpr double range_factor = 10.0;
/// A prior guess closer to 0 or 1 would weigh nothing.
constexpr double closest = 1e-12;

/// One way to cut the error probabilities into bins, with its posterior.
struct Binning {
  std::vector<double> edges; ///< between the bins
  std::vector<double> values;
  double log_score = 0.0;
};

/// A step function: values[i] from edges[i - 1] on, up to edges[i].
class BbqCalibrator : public ErrorCalibrator {
public:
  BbqCalibrator(std::vector<double> edges, std::vector<double> values, std::size_t n_binnings)
      : edges_(std::move(edges)), values_(std::move(values)), n_binnings_(n_binnings) {}
  double calibrated(double error_probability) const override {
    const auto above = std::upper_bound(edges_.begin(), edges_.end(), error_probability);
    return values_[static_cast<std::size_t>(above - edges_.begin())];
  }
  std::vector<std::pair<std::string, double>> parameters() const override {
    return {{"n_binnings", static_cast<double>(n_binnings_)}};
  }

private:
  std::vector<double> edges_;
  std::vector<double> values_;
  std::size_t n_binnings_;
};

class BbqFit {
public:
  explicit BbqFit(std::span<const ErrorGroup> groups) : groups_(groups), cuts_(groups) {
    n_before_.push_back(0);
    n_errors_before_.push_back(0);
    for (const ErrorGroup& group : groups) {
      n_before_.push_back(n_before_.back() + group.n);
      n_errors_before_.push_back(n_errors_before_.back() + group.n_errors);
    }
  }

  std::unique_ptr<ErrorCalibrator> fit() const {
    const double root = std::cbrt(static_cast<double>(cuts_.n_rows()));
    const Index least = std::max<Index>(1, static_cast<Index>(root / range_factor));
    const auto most = static_cast<Index>(std::ceil(root * range_factor));
    std::set<std::vector<Index>> seen; // ties make some cuts equal; each counts once
    std::vector<Binning> binnings;
    for (Index n_bins = least; n_bins <= most; ++n_bins) {
      const auto [firsts, is_new] = seen.insert(cuts_.first_groups(n_bins));
      if (is_new) binnings.push_back(score(*firsts));
    }
    return average(binnings);
  }

private:
  /// Halfway between the groups on both sides; where no number lies between them, at the upper one.
  double edge_below(Index group) const {
    const double low = groups_[static_cast<std::size_t>(group - 1)].error_probability;
    const double high = groups_[static_cast<std::size_t>(group)].error_probability;
    const double middle = low + (high - low) / 2.0;
    return middle > low ? middle : high;
  }

  Binning score(const std::vector<Index>& firsts) const {
    Binning binning;
    const double prior = prior_rows / static_cast<double>(firsts.size());
    double low = 0.0;
    for (std::size_t b = 0; b < firsts.size(); ++b) {
      const bool is_last = b + 1 == firsts.size();
      const auto first = static_cast<std::size_t>(firsts[b]);
      const std::size_t last = is_last ? groups_.size() : static_cast<std::size_t>(firsts[b + 1]);
      const auto n = static_cast<double>(n_before_[last] - n_before_[first]);
      const auto errors = static_cast<double>(n_errors_before_[last] - n_errors_before_[first]);
      const double high = is_last ? 1.0 : edge_below(firsts[b + 1]);
      const double guess = std::clamp(low + (high - low) / 2.0, closest, 1.0 - closest);
      const double alpha = prior * guess;
      const double beta = prior * (1.0 - guess);
      binning.log_score += log_beta(errors + alpha, n - errors + beta) - log_beta(alpha, beta);
      binning.values.push_back((errors + alpha) / (n + prior));
      if (!is_last) binning.edges.push_back(high);
      low = high;
    }
    return binning;
  }

  /// The mean of the binnings by their posterior weights, as one step function.
  static std::unique_ptr<ErrorCalibrator> average(const std::vector<Binning>& binnings) {
    std::vector<double> log_scores;
    log_scores.reserve(binnings.size());
    for (const Binning& binning : binnings) log_scores.push_back(binning.log_score);
    const double total = log_sum_exp(log_scores);
    struct Step {
      double edge;
      double rise;
    };
    std::vector<Step> steps;
    double value = 0.0;
    for (const Binning& binning : binnings) {
      const double weight = std::exp(binning.log_score - total);
      if (weight < 1e-15) continue; // below the rounding of the sum
      value += weight * binning.values.front();
      for (std::size_t b = 0; b < binning.edges.size(); ++b)
        steps.push_back({binning.edges[b], weight * (binning.values[b + 1] - binning.values[b])});
    }
    std::ranges::stable_sort(steps, {}, &Step::edge);
    std::vector<double> edges;
    std::vector<double> values{value};
    for (const Step& step : steps) {
      value += step.rise;
      if (edges.empty() || edges.back() != step.edge) {
        edges.push_back(step.edge);
        values.push_back(value);
      }
      values.back() = value;
    }
    return std::make_unique<BbqCalibrator>(std::move(edges), std::move(values), binnings.size());
  }

  std::span<const ErrorGroup> groups_;
  EqualMassCuts cuts_;
  std::vector<Index> n_before_;
  std::vector<Index> n_errors_before_;
};

} // namespace

std::unique_ptr<ErrorCalibrator> fit_bbq(std::span<const ErrorGroup> groups) {
  return BbqFit(groups).fit();
}

} // namespace lacuna
