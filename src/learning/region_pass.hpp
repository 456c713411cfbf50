#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "data/row_pass.hpp"
#include "lacuna/learning/classifier.hpp"
#include "learning/label_share.hpp"
#include "learning/ratio_model.hpp"

namespace LACUNA_API lacuna {

/// How many unlabeled rows of a table lie inside the region, and how much lies outside.
struct RegionCounts {
  double n_informative = 0.0;
  double total = 0.0;          ///< weight of all rows
  double outside_weight = 0.0; ///< of unlabeled rows that are not inside
  double outside = 0.0;        ///< the same by soft edges

  /// `n_behind` and `weight`: of the rows that a row stands for.
  void count(bool is_unlabeled, double ratio, double kappa, double n_behind, double weight);
};

/// Counts them by models that have not seen the row they judge.
class RegionPass : public RowPass {
public:
  static constexpr const char* name = "region";

  /// By densities, of which `unlabeled` is one of all unlabeled rows of the table.
  struct Densities {
    ClassModel classes;
    std::shared_ptr<const Density> unlabeled;
    double share = 0.0; ///< of a row in it
  };
  /// By a classifier. It has seen the rows with these numbers (rising), which another one judged.
  struct Classifier {
    RatioModel ratio;
    std::shared_ptr<const LabelShare> share;
    std::vector<double> numbers;
    std::vector<double> log_labeled;
  };
  RegionPass(Densities densities, double kappa) : densities_(std::move(densities)), kappa_(kappa) {}
  RegionPass(Classifier classifier, double kappa) : classifier_(std::move(classifier)), kappa_(kappa) {}
  static std::unique_ptr<RowPass> load(const Archive& archive, const std::string& prefix);
  const RegionCounts& counts() const { return counts_; }

  void add(const PassingRows& rows, int threads, const Observer& observer) override;
  std::string kind() const override { return name; }
  void save(Archive& archive, const std::string& prefix) const override;
  void save_counts(Archive& archive) const override;
  void add_counts(const Archive& archive) override;

private:
  std::vector<double> classifier_ratios(const PassingRows& block, int threads) const;

  std::optional<Densities> densities_; ///< one of the two
  std::optional<Classifier> classifier_;
  double kappa_;
  RegionCounts counts_;
};

} // namespace lacuna
