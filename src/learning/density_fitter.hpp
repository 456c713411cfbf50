#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "density/column_shapes.hpp"
#include "lacuna/core/observer.hpp"
#include "lacuna/data/dataset.hpp"
#include "lacuna/density/density.hpp"
#include "lacuna/learning/classifier.hpp"
#include "lacuna/learning/learner.hpp"
#include "lacuna/learning/options.hpp"
#include "math/moments.hpp"

namespace lacuna {

/// Rows of the data set with weights, as a density fit takes them.
struct RowList {
  std::vector<Index> rows;
  std::vector<double> weights;

  void add(Index row, double weight) {
    rows.push_back(row);
    weights.push_back(weight);
  }
  void append(const RowList& other);
  bool empty() const { return rows.empty(); }
  double total_weight() const;
};

/// What all fits of one run share: the data and how densities are fitted to parts of them. Where columns are
/// difficult and the family gains by it, densities see them in another shape; what comes out takes rows as
/// they are in any case.
class DensityFitter {
public:
  DensityFitter(DatasetView data, const DensityFamily& family, ColumnShaping shaping, int threads,
                Observer& observer);

  const DatasetView& data() const { return data_; }
  int threads() const { return threads_; }
  Observer& observer() const { return observer_; }
  Index n_classes() const { return data_.n_classes(); }
  /// What was done to columns, in words; empty: nothing.
  std::string shapes_note() const;
  bool is_labeled(Index row) const { return data_.is_labeled(row) && data_.weight(row) > 0.0; }
  bool is_unlabeled(Index row) const { return !data_.is_labeled(row) && data_.weight(row) > 0.0; }
  /// The same by a row's number in its table, whether or not it is in memory.
  bool is_number_unlabeled(Index number) const;
  /// How many rows of its table a row in memory stands for: one, but where unlabeled rows are a sample of
  /// those of a larger table.
  double n_behind(Index row) const { return data_.is_labeled(row) ? 1.0 : sample_scale_; }
  /// The weight of these.
  double weight_behind(Index row) const { return n_behind(row) * data_.weight(row); }

  /// A number that stands for the class whatever its name is: its first labeled row, or -1.
  Index class_key(Index y) const { return class_keys_[static_cast<std::size_t>(y)]; }
  /// The classes that have labeled rows, by class_key: an order that does not depend on names.
  const std::vector<Index>& class_order() const { return class_order_; }

  std::shared_ptr<const Density> fit(const RowList& rows, std::uint64_t seed, int threads,
                                     const Density* warm_start = nullptr, bool single_step = false) const;
  /// The density of all rows without a label. Those of a larger table pass by where the family can fit to
  /// such; elsewhere the rows in memory stand for them.
  std::shared_ptr<const Density> fit_unlabeled(std::uint64_t seed) const;
  /// Whether that is so: every row of a larger table counts in fit_unlabeled.
  bool fits_whole_table() const { return data_.whole != nullptr && family_.fits_blocks(); }
  /// The weight of the rows to which fit_unlabeled fits.
  double unlabeled_weight() const;
  /// One density per class that has rows, and class probabilities in proportion to their weights. Classes are
  /// fitted side by side.
  ClassModel fit_classes(const std::vector<RowList>& rows_of_class, std::uint64_t seed,
                         const ClassModel* warm_start = nullptr, bool single_step = false) const;

  /// Labeled rows of every class.
  std::vector<RowList> labeled_rows() const;
  /// The background of a classifier of these data, to be compared with the densities fitted here.
  Background background() const;
  /// The same for densities of the columns as they are.
  Background plain_background() const;

private:
  /// The data as shapes see them.
  struct SeenData {
    std::shared_ptr<const ColumnShapes> shapes;
    Matrix features;
    std::vector<double> log_jacobian;    ///< one per row
    double unlabeled_log_jacobian = 0.0; ///< of all unlabeled rows of a larger table
    RowMoments reference;
  };
  std::shared_ptr<const SeenData> see(ColumnShaping shaping) const;
  void see_whole_table(SeenData& seen) const;

  DatasetView data_;
  const DensityFamily& family_;
  int threads_;
  Observer& observer_;
  double sample_scale_ = 1.0;            ///< unlabeled rows of the table for each of those in memory
  RowMoments reference_;                 ///< of all rows
  std::shared_ptr<const SeenData> seen_; ///< null: densities see the data as they are
  std::vector<Index> class_keys_;
  std::vector<Index> class_order_;
};

/// The record of a density for the fit's summary.
DensityRecord make_record(std::string name, const Density& density, Index n_rows);

} // namespace lacuna
