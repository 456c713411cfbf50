#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "lacuna/core/archive.hpp"
#include "lacuna/core/matrix.hpp"
#include "lacuna/core/observer.hpp"
#include "lacuna/core/options.hpp"
#include "lacuna/core/random.hpp"
#include "lacuna/data/row_source.hpp"

namespace LACUNA_API lacuna {

/// Why a fit ended.
enum class StopReason {
  converged,      ///< more work would not change it
  max_iterations, ///< it was allowed no more
  sampled         ///< a Markov chain of a chosen length: it does not converge to one fit
};

constexpr auto choice_names(StopReason) {
  return std::array{ChoiceName{StopReason::converged, "converged"},
                    ChoiceName{StopReason::max_iterations, "max_iterations"},
                    ChoiceName{StopReason::sampled, "sampled"}};
}

/// How a fit went. Not converging is a result, not an error.
struct DensityFitSummary {
  Index n_components = 0; ///< components that are still switched on (0: the family has none)
  Index n_iterations = 0; ///< of the restart that was kept
  double objective = 0.0; ///< what the fit maximised (VB: the full evidence lower bound)
  StopReason stop_reason = StopReason::converged;
  std::vector<double> history; ///< the objective after each iteration, of the restart that was kept
  std::map<std::string, double> measures; ///< what else the family says about its fit: "bic", "aic", ...
  std::map<std::string, std::vector<double>> traces; ///< what else it followed, after each iteration
};

/// What every density says about itself.
struct DensityFacts {
  std::string family; ///< its name, as load_density and the CLI know it
  Index n_features = 0;
  DensityFitSummary summary;

  /// Writes them all but the summary's history and traces, which are for who watches a fit.
  void save(Archive& archive, const std::string& prefix) const;
  /// Throws Error(data).
  static DensityFacts load(const Archive& archive, const std::string& prefix);
};

/// A fitted density over feature vectors. Immutable and safe to use from many threads at once.
class Density {
public:
  virtual ~Density() = default;
  const std::string& family() const { return facts_.family; }
  Index n_features() const { return facts_.n_features; }
  const DensityFitSummary& summary() const { return facts_.summary; }
  /// out[i] = log density of row i. Finite for every row with finite features. A density that handles missing
  /// values takes NaN for one and returns the log density of the others; 0 for a row without any.
  virtual void log_density(MatrixView rows, std::span<double> out) const = 0;
  /// The same for rows of the fit, each as if it had not been one of them. shares[i] is the row's part of the
  /// weight of all rows of the fit; 0 for a row that was not among them. Where one row more or less hardly
  /// matters, this is log_density.
  virtual void log_density_left_out(MatrixView rows, std::span<const double> shares,
                                    std::span<double> out) const;
  /// What an EM around the density weighs rows by, so that its steps and those of the fit climb one
  /// objective: with the divergence below, the objective of a fit is the sum of these less that. Where
  /// parameters are believed, not estimated (vb-gmm), an expectation of the log density; elsewhere
  /// log_density.
  virtual void expected_log_density(MatrixView rows, std::span<double> out) const;
  /// What the fit's objective pays for what was learned: that of the posterior from the prior; or 0.
  virtual double divergence() const { return 0.0; }
  /// A density that may be the true one as far as the fit can tell: draw number `draw` of `n_draws` from its
  /// posterior, with random numbers of `seed`. Null when the family has no such draws; several fits to rows
  /// with random weights then say how far the truth may be.
  virtual std::shared_ptr<const Density> posterior_draw(Index draw, Index n_draws, std::uint64_t seed) const;
  /// One random vector from the density.
  virtual void sample(RandomStream& random, std::span<double> out) const = 0;
  virtual bool handles_missing_values() const { return false; }
  void save(Archive& archive, const std::string& prefix) const;

protected:
  explicit Density(DensityFacts facts) : facts_(std::move(facts)) {}

private:
  /// Writes what the family needs beside the facts to load the density again.
  virtual void save_parts(Archive& archive, const std::string& prefix) const = 0;

  DensityFacts facts_;
};

/// What a fit may know beside its rows.
struct DensityFitContext {
  std::span<const double>
      reference_variance; ///< per feature, of a larger sample the rows came from; a class with
                          ///< one row has no variance of its own. Empty: the rows' own.
  std::span<const double>
      reference_mean; ///< the same sample's, for a feature that all rows lack. Empty: none is known.
  std::span<const Index> levels; ///< per feature: 0 for a number, or how many categories it numbers from 0;
                                 ///< empty: all are numbers
  const Density* warm_start = nullptr; ///< a fit of the same family on similar rows to start from
  bool single_step = false; ///< an iterative family takes one step from the warm start, not all of them
  std::uint64_t seed = 0;
  int threads = 0;
  Observer* observer = nullptr; ///< asked for cancellation; may be null
};

/// A density family with its options: knows how to fit. "Any generative model" enters the method here.
class DensityFamily {
public:
  virtual ~DensityFamily() = default;
  /// Fits a density to weighted rows (at least one row of positive weight; zero-weight rows count as absent).
  virtual std::shared_ptr<const Density> fit(const WeightedRows& rows,
                                             const DensityFitContext& context) const = 0;
  /// The same for rows that pass by in blocks, several times, and need not fit into memory. Throws
  /// Error(usage) when the family cannot do that.
  virtual std::shared_ptr<const Density> fit_blocks(AllRows& rows, const DensityFitContext& context) const;
  /// Whether fit_blocks can do that.
  virtual bool fits_blocks() const { return false; }
  /// Whether a NaN may stand for a missing value in the rows.
  virtual bool handles_missing_values() const { return false; }
  /// Whether shifting and scaling features changes nothing but the units of its densities, so that nobody
  /// needs to standardise rows for it.
  virtual bool standardizes() const { return false; }
  /// Whether long tails of numbers should be shortened for it, and rare categories taken as one; where it
  /// also handles missing values and categories, spikes told from numbers (docs/math/columns.md).
  virtual bool gains_by_shapes() const { return false; }
  /// Whether context.levels may name columns of categories.
  virtual bool handles_categories() const { return false; }
};

/// Restores what Density::save wrote, by the name of the family (families.hpp).
std::shared_ptr<const Density> load_density(const Archive& archive, const std::string& prefix);

} // namespace lacuna
