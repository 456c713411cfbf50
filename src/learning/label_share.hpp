#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "lacuna/density/density.hpp"
#include "learning/density_fitter.hpp"

namespace lacuna {

/// How common labels are among rows like this one: a mixture over features and whether there is a label, so
/// that each component has its own share of labels. Immutable.
class LabelShare {
public:
  LabelShare(std::shared_ptr<const Density> joint, double overall);

  struct Answers {
    std::vector<double> log_share; ///< log of the share of labels among rows like it over the share among all
    std::vector<double> log_density; ///< log q(x) of all rows, labeled or not
  };
  Answers ask(MatrixView rows) const;

  const Density& joint() const { return *joint_; }
  /// The share of labels among the rows that it was fitted to.
  double overall() const { return overall_; }
  void save(Archive& archive, const std::string& prefix) const;
  /// Throws Error(data).
  static std::shared_ptr<const LabelShare> load(const Archive& archive, const std::string& prefix,
                                                Index n_features);

private:
  std::shared_ptr<const Density> joint_; ///< of the features and a last column: 0 unlabeled, 1 labeled
  double overall_;                       ///< share of labels
};

/// Fits the mixture to the labeled rows and a sample of the others, with some labels hidden or none.
class LabelShareFit {
public:
  /// `labeled` are the rows that have a label, in the order of the table; borrowed like the fitter.
  LabelShareFit(const DensityFitter& fitter, const std::vector<Index>& labeled, std::uint64_t seed);

  /// `hidden`: one per labeled row, or empty. From `start` where it is given.
  std::shared_ptr<const LabelShare> fit(std::span<const char> hidden, const LabelShare* start) const;

  /// The rows that the mixture is fitted to, and log q(x) of each by a mixture of every second row that does
  /// not have it.
  struct HeldOut {
    Matrix rows;
    std::vector<double> weights;
    std::vector<double> log_density;
  };
  HeldOut hold_out() const;

private:
  std::shared_ptr<const Density> fit_joint(const WeightedRows& rows, const Density* start) const;

  const DensityFitter& fitter_;
  std::uint64_t seed_;
  std::shared_ptr<const DensityFamily> family_;
  std::size_t n_labeled_;
  Matrix rows_; ///< labeled rows first; the last column is whether there is a label
  std::vector<double> weights_;
  std::vector<Index> levels_;
};

} // namespace lacuna
