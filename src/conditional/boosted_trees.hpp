#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "conditional/column_scales.hpp"
#include "conditional/tree_passage.hpp"
#include "lacuna/conditional/conditional.hpp"

namespace lacuna {

/// Scores that start at the classes' shares and to which trees add. With two classes the trees have one
/// output, the log odds of the second; otherwise one per class.
class BoostedTrees : public Conditional {
public:
  static constexpr const char* name = "boosting";
  struct Parts {
    ColumnScales scales;
    std::vector<int> classes;   ///< that have labeled rows
    std::vector<double> starts; ///< of each output
    TreeEnsemble trees;
  };
  /// How many outputs trees have for this many classes.
  static Index n_outputs(std::size_t n_classes) { return n_classes == 2 ? 1 : static_cast<Index>(n_classes); }

  BoostedTrees(ConditionalFacts facts, Parts parts);

  void log_probability(MatrixView rows, std::span<double> out) const override;
  static std::shared_ptr<const Conditional> load(const Archive& archive, const std::string& prefix,
                                                 ConditionalFacts facts);

  /// What trees see of a row, and of rows one behind the other.
  static void read(const ColumnScales& scales, const double* row, std::span<float> cells);
  static std::vector<float> read(const ColumnScales& scales, MatrixView rows);

private:
  void save_parts(Archive& archive, const std::string& prefix) const override;

  Parts parts_;
  TreeLadders ladders_{parts_.trees};
};

} // namespace lacuna
