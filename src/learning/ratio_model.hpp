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

/// How much denser labeled rows lie than unlabeled ones, as a log ratio: by densities, max_y log q(x|y,l=1) /
/// q(x|l=0), or by a classifier without any density, log q(x|l=1) / q(x|l=0) (docs/math/ratios.md).
/// Immutable.
class RatioModel {
public:
  RatioModel(ClassModel classes, std::shared_ptr<const Density> unlabeled)
      : classes_(std::move(classes)), unlabeled_(std::move(unlabeled)) {}
  explicit RatioModel(LabelingModel labeling) : labeling_(std::move(labeling)) {}

  bool is_by_classifier() const { return labeling_.has_value(); }
  /// `log_shares` is what LabelShare says of each row.
  std::vector<double> log_ratios(MatrixView rows, std::span<const double> log_shares) const;

  void save(Archive& archive, const std::string& prefix) const;
  /// `classes` and `unlabeled` are the classifier's own. Throws Error(data).
  static RatioModel load(const Archive& archive, const std::string& prefix, const ClassModel& classes,
                         const std::shared_ptr<const Density>& unlabeled);
  /// One by a classifier of so many features.
  static RatioModel load_classifier(const Archive& archive, const std::string& prefix, Index n_features);

private:
  ClassModel classes_;
  std::shared_ptr<const Density> unlabeled_;
  std::optional<LabelingModel> labeling_;
};

/// The log ratio of one row from its two estimates: a classifier's, and the share of labels in the row's
/// surroundings.
double classifier_ratio(double log_labeled, double log_share);

} // namespace lacuna
