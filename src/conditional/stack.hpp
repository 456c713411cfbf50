#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "conditional/calibration.hpp"
#include "lacuna/conditional/conditional.hpp"

namespace lacuna {

/// A mixture of members, each calibrated, sum_j pi_j p_j(y|x), calibrated once more: a mixture of calibrated
/// members is not sure enough.
class Stack : public Conditional {
public:
  struct Member {
    std::string name;    ///< of its family, for messages
    double weight = 0.0; ///< pi_j > 0
    Calibration calibration;
    std::shared_ptr<const Conditional> fitted;
  };

  /// `seen` says per class whether the members had a labeled row of it: no slope may lift the others from the
  /// least probability.
  Stack(Index n_features, std::vector<bool> seen, std::vector<Member> members, Calibration mixed);

  void log_probability(MatrixView rows, std::span<double> out) const override;
  /// The same, and what each member says once it is calibrated (n x n_classes), by which their agreement can
  /// be told.
  void log_probability(MatrixView rows, std::span<double> out, std::vector<Matrix>& by_member) const;

  /// Those that were fitted; their weights sum to one.
  const std::vector<Member>& members() const { return members_; }
  const std::vector<bool>& seen() const { return seen_; }
  /// Of their mixture.
  const Calibration& mixed() const { return mixed_; }

  static std::shared_ptr<const Conditional> load(const Archive& archive, const std::string& prefix,
                                                 const ConditionalFacts& facts);

private:
  void save_parts(Archive& archive, const std::string& prefix) const override;

  std::vector<bool> seen_;
  std::vector<Member> members_;
  Calibration mixed_;
};

/// What a stack learns from labels that were held out, once; fit_stack keeps it through other labels of the
/// same table. Members are in the order in which they were given.
struct StackRecipe {
  ConditionalMembers members;
  std::vector<Calibration> calibration;
  std::vector<double> weights; ///< they sum to one
  Calibration mixed;           ///< of their mixture
  std::vector<Index> rows;     ///< the labeled rows of positive weight, in the order of the table
  std::vector<bool> judged;    ///< of those: whether others of the row's class were left when it was held out
  Matrix out_of_fold; ///< rows x classes: the stack's probabilities by members that did not see the label
  std::vector<Matrix> member_out_of_fold;    ///< the same of each member, as log probabilities, calibrated
  std::vector<double> member_log_likelihood; ///< of each calibrated member: mean over the judged rows
  double log_likelihood = 0.0;               ///< of the stack
};

/// Fits every member once per fold with the fold's labels hidden, calibrates each by its answers about them
/// and finds the weights of the most likely mixture. The fits run side by side.
StackRecipe learn_stack(const DatasetView& data, ConditionalMembers members, Index n_folds,
                        const ConditionalFitContext& context);

/// Members with less of the weight than this are not fitted.
inline constexpr double least_member_weight = 1e-3;

/// Fits the recipe's members to the labels of `data`, with the recipe's calibration and weights.
std::shared_ptr<const Stack> fit_stack(const DatasetView& data, const StackRecipe& recipe,
                                       const ConditionalFitContext& context);

} // namespace lacuna
