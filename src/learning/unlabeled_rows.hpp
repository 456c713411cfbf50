#pragma once

#include <memory>
#include <string>
#include <vector>

#include "data/moments_pass.hpp"
#include "data/whole_table.hpp"
#include "density/column_shapes.hpp"
#include "lacuna/data/row_source.hpp"

namespace LACUNA_API lacuna {

/// Rows as shapes see them.
struct SeenRows {
  Matrix features;
  std::vector<double> log_jacobian; ///< one per row
};
SeenRows see_rows(const ColumnShapes& shapes, MatrixView rows, int threads);

/// Moments of all rows of a table as shapes see them, and what the Jacobian of its unlabeled ones is.
class SeenMomentsPass : public RowPass {
public:
  static constexpr const char* name = "seen moments";

  explicit SeenMomentsPass(std::shared_ptr<const ColumnShapes> shapes) : shapes_(std::move(shapes)) {}
  static std::unique_ptr<RowPass> load(const Archive& archive, const std::string& prefix);
  RowMoments moments() const { return moments_.result(); }
  double unlabeled_log_jacobian() const { return unlabeled_log_jacobian_; }

  void add(const PassingRows& rows, int threads, const Observer& observer) override;
  std::string kind() const override { return name; }
  void save(Archive& archive, const std::string& prefix) const override;
  void save_counts(Archive& archive) const override;
  void add_counts(const Archive& archive) override;

private:
  std::shared_ptr<const ColumnShapes> shapes_;
  MomentsPass moments_;
  double unlabeled_log_jacobian_ = 0.0;
};

/// Shows the rows of a table that have no label; with shapes, as these see them.
class UnlabeledPass : public LensPass {
public:
  static constexpr const char* name = "unlabeled";

  UnlabeledPass(std::shared_ptr<const ColumnShapes> shapes, RowPass& behind)
      : LensPass(behind), shapes_(std::move(shapes)) {}
  static std::unique_ptr<RowPass> load(const Archive& archive, const std::string& prefix,
                                       std::unique_ptr<RowPass> behind);

  /// From now on `bar` sees how far the pass is, of a table of so many rows. Borrowed.
  void show_progress(Observer& bar, std::string stage, Index n_rows);
  void add(const PassingRows& rows, int threads, const Observer& observer) override;
  std::string kind() const override { return name; }

private:
  UnlabeledPass(std::shared_ptr<const ColumnShapes> shapes, std::unique_ptr<RowPass> behind)
      : LensPass(std::move(behind)), shapes_(std::move(shapes)) {}
  void save_lens(Archive& archive, const std::string& prefix) const override;

  std::shared_ptr<const ColumnShapes> shapes_; ///< may be null
  Observer* bar_ = nullptr;
  std::string stage_;
  Index n_rows_ = 0;
};

/// The rows of a larger table that have no label, in the order of the table; with shapes, as these see them.
/// Borrows the table and the observer, which sees how far each pass is.
class UnlabeledRows : public AllRows {
public:
  UnlabeledRows(const WholeTable& table, std::shared_ptr<const ColumnShapes> shapes, Observer& observer)
      : table_(table), shapes_(std::move(shapes)), observer_(observer) {}
  Index show(RowPass& pass, int threads, const Observer& observer) override;

private:
  const WholeTable& table_;
  std::shared_ptr<const ColumnShapes> shapes_; ///< may be null
  Observer& observer_;
  int pass_ = 0;
};

} // namespace lacuna
