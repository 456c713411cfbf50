#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "conditional/stack.hpp"
#include "lacuna/learning/learner.hpp"
#include "learning/density_member.hpp"
#include "learning/label_distance.hpp"
#include "learning/label_share.hpp"
#include "learning/labeling.hpp"
#include "learning/shared_models.hpp"
#include "learning/stacked_model.hpp"
#include "learning/trust.hpp"

namespace lacuna {

/// What models that did not see a row's label say about it.
struct JudgedRow {
  double weight = 1.0;
  double log_ratio = 0.0; ///< as the region is told by
  /// log q(x|l=1) / q(x|l=0) by the share of labels in the surroundings, and by the classifier where there is
  /// one; else the same once more.
  std::array<double, 2> log_density_ratios = {};
  bool is_wrong = false;
};

/// Learns p(y|x) where labels speak, where that is, and what it is worth elsewhere (docs/math/conditional.md,
/// ratios.md, trust.md). First the stack and the region, then trust in what lies outside.
class StackedFit {
public:
  StackedFit(SharedModels& shared, const LearningOptions& options);

  double kappa() const { return kappa_; }
  bool is_by_classifier() const { return labeling_ != nullptr; }
  /// How many unlabeled rows of the table lie inside the region.
  Index n_informative() const { return n_informative_; }
  /// The share of the weight of all rows that is unlabeled and not inside.
  double outside_weight() const { return outside_weight_; }
  /// Labeled rows as models see them that did not see their labels, in the order of the table; those that
  /// could not be held out are left out.
  std::vector<JudgedRow> judged_rows() const;
  /// The whole.
  std::shared_ptr<const StackedModel> finish();

  /// What was found, for the record.
  StackSummary summary() const { return summary_; }

private:
  void learn_members(const LearningOptions& options);
  void learn_region(const LearningOptions& options);
  void learn_surroundings(const LearningOptions& options);
  void choose_kappa(const LearningOptions& options);
  void mark_informative();
  double densities_log_likelihood(const LabelingFit& labeling);
  void hold_out();
  std::vector<double> density_ratios();
  void add_own_rows(std::vector<HiddenRow>& rows) const;
  double find_usual_strangeness() const;
  void check_itself(const StackedModel& model);
  std::size_t answer_held_out(const StackedModel& model, std::size_t i, std::span<double> posterior) const;
  HeldOutAnswers held_out_answers(const StackedModel& model) const;
  SelfCheck check_rows(const StackedModel& model, std::span<const std::size_t> rows) const;

  /// A labeled row as models see it that did not see its label.
  struct HeldOut {
    double log_ratio = 0.0; ///< NaN where it could not be held out
    double log_share = 0.0;
    double disagreement = 0.0;
    double distance = 0.0; ///< to other labeled rows
  };

  SharedModels& shared_;
  const LearningOptions& options_;
  const DensityFitter& fitter_;
  const DatasetView& data_;
  std::shared_ptr<const DensityMember> densities_;
  StackRecipe recipe_;
  std::shared_ptr<const Stack> conditional_;
  std::unique_ptr<LabelDistanceFit> distance_fit_;
  std::shared_ptr<const LabelDistance> distance_;
  std::unique_ptr<LabelShareFit> share_fit_;
  std::shared_ptr<const LabelShare> share_;
  std::unique_ptr<LabelingFit> labeling_; ///< null: the region is one of densities
  std::optional<RatioModel> ratio_;
  std::vector<HeldOut> held_out_; ///< labeled rows, in the order of the table
  double kappa_ = 0.0;
  double usual_strangeness_ = 0.0;
  Index n_informative_ = 0;
  double outside_weight_ = 0.0;
  double outside_ = 0.0; ///< the same by soft edges
  StackSummary summary_;
};

} // namespace lacuna
