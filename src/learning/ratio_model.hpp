#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "lacuna/learning/classifier.hpp"
#include "learning/label_share.hpp"
#include "learning/labeling.hpp"

namespace lacuna {

/// The log ratio max_y log q(x|y,l=1) / q(x|l=0): by densities, or by classifiers without any density
/// (docs/math/ratios.md). Immutable.
class RatioModel {
public:
  RatioModel(ClassModel classes, std::shared_ptr<const Density> unlabeled)
      : classes_(std::move(classes)), unlabeled_(std::move(unlabeled)) {}
  /// `class_share` are those of the labeled rows.
  RatioModel(LabelingModel labeling, std::vector<double> class_share)
      : labeling_(std::move(labeling)), class_share_(std::move(class_share)) {}

  bool is_by_classifier() const { return labeling_.has_value(); }
  /// `log_p` holds log p(y|x), one line per row, and `log_shares` what LabelShare says of each row.
  std::vector<double> log_ratios(MatrixView rows, std::span<const double> log_p,
                                 std::span<const double> log_shares) const;

  void save(Archive& archive, const std::string& prefix) const;
  /// `classes` and `unlabeled` are the classifier's own. Throws Error(data).
  static RatioModel load(const Archive& archive, const std::string& prefix, const ClassModel& classes,
                         const std::shared_ptr<const Density>& unlabeled);

private:
  ClassModel classes_;
  std::shared_ptr<const Density> unlabeled_;
  std::optional<LabelingModel> labeling_;
  std::vector<double> class_share_;
};

/// The log ratio of one row from that of labeled to unlabeled rows, which `log_labeled` and the share of
/// labels in its surroundings estimate, and from p(y|x).
double classifier_ratio(double log_labeled, double log_share, std::span<const double> log_p,
                        std::span<const double> class_share);

} // namespace lacuna
