#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "lacuna/core/archive.hpp"
#include "lacuna/core/matrix.hpp"
#include "lacuna/density/density.hpp"
#include "lacuna/learning/anatomy.hpp"
#include "lacuna/learning/options.hpp"

namespace LACUNA_API lacuna {

/// What a classifier says about some rows, one entry per row.
struct Scores {
  std::vector<int> prediction;           ///< class number
  std::vector<double> error_probability; ///< q_e: how likely the prediction is wrong
  std::vector<double> log_ratio; ///< how much denser labeled rows lie than unlabeled ones; +inf without
                                 ///< unlabeled rows, -inf where the background outweighs all else
  std::vector<char> informative; ///< log_ratio > kappa
  std::vector<double> log_share; ///< log of the share of labels among rows like it over that among all rows;
                                 ///< empty without a stack
  Matrix posterior;              ///< n x classes; rows sum to one
};

/// Class densities and class probabilities. A class without a row has probability 0 and no density.
struct ClassModel {
  std::vector<double> probability;
  std::vector<std::shared_ptr<const Density>> density;
};

/// What class densities have in common: with probability `share` the label of a row has nothing to do with
/// the row, and is of class y with `probability[y]`.
struct Shrinkage {
  double share = 0.0;
  std::vector<double> probability; ///< may be empty when the share is 0
};

class ColumnShapes; // src/density/column_shapes.hpp

/// What may lie where no training row does: a Cauchy density (Student-t with one degree of freedom) about the
/// mean of all training rows, uniform over categories. Its tails are the heaviest, so that far from all rows
/// it outweighs the class densities, and says the same of every class. Derived in docs/math/classifier.md.
class Background {
public:
  /// `scale` is a number's standard deviation; `levels` as in Dataset, empty: all columns are numbers. What
  /// stands for a category in `center` and `scale` does not matter. With `shapes` all are of the columns as
  /// these see them, as the densities do that it is compared with.
  Background(double weight, std::vector<double> center, std::vector<double> scale, std::vector<Index> levels,
             std::shared_ptr<const ColumnShapes> shapes = nullptr);

  /// The probability that a row comes from here, before it is seen.
  double weight() const { return weight_; }
  /// Finite for every row with finite features; NaN is a missing value and is integrated out.
  double log_density(const double* row) const;
  /// That a row comes from here, not from where rows have this log density.
  double log_odds(const double* row, double other_log_density) const;

  void save(Archive& archive, const std::string& prefix) const;
  /// Throws Error(data).
  static Background load(const Archive& archive, const std::string& prefix, Index n_features);

private:
  double log_density_seen(const double* row) const;

  double weight_;
  std::shared_ptr<const ColumnShapes> shapes_; ///< may be null
  std::vector<double> center_;
  std::vector<double> scale_;
  std::vector<Index> levels_;
  std::vector<double> log_size_;     ///< per column: of its scale, or of how many categories it has
  std::vector<double> log_constant_; ///< by the number of numbers that a row has
};

struct StackedModel; // src/learning/stacked_model.hpp

/// A fitted generative classifier: w q(y|l=1) q(x|y,l=1) + (1-w)/|Y| q(x|l=0), the background, and the region
/// where labels say something. Immutable; safe to use from many threads at once.
class GenerativeClassifier {
public:
  struct Parts {
    std::vector<std::string> class_names;
    PosteriorForm posterior = PosteriorForm::joint;
    Ignorant ignorant = Ignorant::guess;
    bool guesses_late = false; ///< models of 0.1: after rounding, which may leave nothing but the first class
    double kappa = 0.0;
    double informative_weight = 1.0;                  ///< w
    std::vector<ClassModel> draws;                    ///< q(x|y,l=1), one per imputation
    Shrinkage shrinkage;                              ///< of each of them
    std::shared_ptr<const Density> uninformative;     ///< q(x|l=0), null when w = 1
    std::optional<Background> background;             ///< empty: none, as in models of 0.1
    ClassModel initial;                               ///< q~(x|y,l=1)
    std::shared_ptr<const Density> initial_unlabeled; ///< q~(x|l=0), null without unlabeled rows
    std::shared_ptr<const StackedModel> stacked;      ///< null: class densities alone decide, as in the paper
  };
  explicit GenerativeClassifier(Parts parts) : parts_(std::move(parts)) {}

  /// Scores rows on up to `threads` threads (0: all cores); the numbers do not depend on how rows are
  /// grouped.
  Scores score(MatrixView rows, int threads) const;
  /// What is behind the scores of a few rows.
  std::vector<Anatomy> dissect(MatrixView rows) const;

  const Parts& parts() const { return parts_; }
  Index n_classes() const { return static_cast<Index>(parts_.class_names.size()); }
  Index n_features() const;
  bool handles_missing_values() const;
  /// Whether a classifier of labeled against unlabeled rows tells where labels speak, and not densities.
  bool is_region_by_classifier() const;
  void save(Archive& archive, const std::string& prefix) const;
  static GenerativeClassifier load(const Archive& archive, const std::string& prefix);

private:
  Scores room_for(MatrixView rows) const;

  Parts parts_;
};

} // namespace lacuna
