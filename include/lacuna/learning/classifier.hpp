#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "lacuna/core/archive.hpp"
#include "lacuna/core/matrix.hpp"
#include "lacuna/density/density.hpp"
#include "lacuna/learning/background.hpp"
#include "lacuna/learning/options.hpp"

namespace LACUNA_API lacuna {

/// What a classifier says about some rows, one entry per row.
struct Scores {
  std::vector<int> prediction;           ///< class number
  std::vector<double> error_probability; ///< q_e: how likely the prediction is wrong
  std::vector<double> log_ratio; ///< max over y of log q~(x|y,l=1) - log q~(x|l=0); +inf without unlabeled
                                 ///< rows, -inf where the background outweighs all else
  std::vector<char> informative; ///< log_ratio > kappa
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

  const Parts& parts() const { return parts_; }
  Index n_classes() const { return static_cast<Index>(parts_.class_names.size()); }
  Index n_features() const;
  bool handles_missing_values() const;
  void save(Archive& archive, const std::string& prefix) const;
  static GenerativeClassifier load(const Archive& archive, const std::string& prefix);

private:
  Parts parts_;
};

} // namespace lacuna
