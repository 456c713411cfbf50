#pragma once

#include <memory>
#include <string>
#include <vector>

#include "lacuna/conditional/conditional.hpp"
#include "learning/density_fitter.hpp"
#include "learning/region.hpp"

namespace lacuna {

/// Class densities as a member of a stack. They learn from unlabeled rows as well: those inside the
/// informative region get the label probabilities of densities fitted to the labeled rows, and the densities
/// are fitted again. A sample of the unlabeled rows stands for all, a small one in the many fits that hide
/// labels, a larger one in that to all labels.
class DensityMember : public ConditionalFamily {
public:
  /// All are borrowed.
  DensityMember(const DensityFitter& fitter, const InitialModels& initial, std::uint64_t seed);

  std::string name() const override;
  /// `data` must be the fitter's, with other labels.
  std::shared_ptr<const Conditional> fit(const DatasetView& data,
                                         const ConditionalFitContext& context) const override;
  /// Densities of the labeled rows alone, of which the region is made.
  ClassModel fit_labeled(const DatasetView& data, std::uint64_t seed) const;

private:
  /// Unlabeled rows that stand for all of them.
  struct Sample {
    Sample(const DensityFitter& fitter, const InitialModels& initial, Index most, std::uint64_t seed);

    RowList rows; ///< their weights add up to those of all unlabeled rows
    Matrix features;
    std::vector<double> log_density; ///< log q~(x|l=0), each row left out of it; empty without unlabeled rows
  };
  void add_unlabeled(const Sample& sample, const ClassModel& model, std::vector<RowList>& rows) const;

  const DensityFitter& fitter_;
  const InitialModels& initial_;
  std::vector<Index> labeled_; ///< rows that have a label in the fitter's data
  Sample small_;
  Sample large_;
};

} // namespace lacuna
