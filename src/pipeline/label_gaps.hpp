#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "lacuna/data/dataset.hpp"
#include "lacuna/data/table.hpp"
#include "lacuna/pipeline/diagnose.hpp"

namespace lacuna {

/// Looks for where labels are missing, in parts of columns: numbers are cut at their eighths, categories
/// stand for themselves, and missing values are a part of their own.
class LabelGaps {
public:
  /// `names` of the columns of `data`; `schema` tells what categories are called where its features are these
  /// columns. Both are borrowed.
  LabelGaps(const DatasetView& data, const std::vector<std::string>& names, const TableSchema* schema,
            std::span<const Index> columns);

  /// The parts of the i-th of the columns.
  std::vector<LabeledPart> parts(std::size_t i) const;
  /// The box in one or two of the columns in which labels are missing most, by the likelihood of two shares
  /// of labels over that of one; nothing when there is no such box.
  std::optional<LabeledPart> find() const;

private:
  struct Column {
    std::string name;
    std::vector<double> cuts;        ///< numbers: part k holds values up to cuts[k]
    std::vector<std::string> levels; ///< categories: what each part is called
    std::vector<int> part;           ///< per row
    int n_parts = 0;                 ///< without that of missing values, which comes last

    bool is_number() const { return levels.empty(); }
    /// What values in the parts `first` to `last` are.
    std::string words(int first, int last) const;
  };
  struct Count {
    double rows = 0.0;
    double labeled = 0.0;
  };
  /// Parts `first` to `last` of a column.
  struct Range {
    int first = 0;
    int last = 0;
  };
  struct Box {
    std::size_t a = 0;
    std::size_t b = 0; ///< the same as `a` for one column
    Range of_a;
    Range of_b;
    Count count;
    double gain = 0.0; ///< of log likelihood
  };
  void cut(Column& column, MatrixView features, Index feature) const;
  void name_levels(Column& column, const DatasetView& data, Index feature, const TableSchema* schema) const;
  std::vector<Range> ranges(const Column& column) const;
  void search(std::size_t a, std::size_t b, Box& best) const;
  double gain(const Count& inside) const;

  std::vector<Column> columns_;
  std::vector<char> is_labeled_;
  std::vector<double> n_behind_; ///< how many rows of the table each stands for
  Count all_;
};

} // namespace lacuna
