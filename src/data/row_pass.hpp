#pragma once

#include <memory>
#include <span>
#include <string>
#include <utility>

#include "lacuna/core/archive.hpp"
#include "lacuna/core/matrix.hpp"
#include "lacuna/core/observer.hpp"

namespace LACUNA_API lacuna {

/// Some rows of a table, one after another.
struct PassingRows {
  WeightedRows rows{MatrixView{}};
  Index first = 0;                     ///< number of the first in the table
  std::span<const Index> labeled = {}; ///< numbers of those that have a label, rising
  Index n_labeled_before = 0;          ///< labeled rows of the table before these

  bool is_labeled(Index number) const;
};

/// What one look at all rows of a table counts, wherever they lie: it adds rows that are here, or what the
/// same pass counted elsewhere, always in the order of the rows.
class RowPass {
public:
  virtual ~RowPass() = default;
  virtual void add(const PassingRows& rows, int threads, const Observer& observer) = 0;

  /// What is counted, in a word. With save it is all that another machine needs to count the same.
  virtual std::string kind() const = 0;
  virtual void save(Archive& archive, const std::string& prefix) const = 0;
  /// What was counted.
  virtual void save_counts(Archive& archive) const = 0;
  /// Adds such; throws Error(data) when it is of another pass.
  virtual void add_counts(const Archive& archive) = 0;
};

/// Shows rows to another pass, as something makes them.
class LensPass : public RowPass {
public:
  void save(Archive& archive, const std::string& prefix) const final;
  void save_counts(Archive& archive) const final { behind_->save_counts(archive); }
  void add_counts(const Archive& archive) final { behind_->add_counts(archive); }
  const RowPass& behind() const { return *behind_; }

protected:
  /// The other pass is borrowed, or its own.
  explicit LensPass(RowPass& behind) : behind_(&behind) {}
  explicit LensPass(std::unique_ptr<RowPass> behind) : behind_(behind.get()), own_(std::move(behind)) {}
  void show(const PassingRows& rows, int threads, const Observer& observer) {
    behind_->add(rows, threads, observer);
  }

private:
  virtual void save_lens(Archive& archive, const std::string& prefix) const = 0;

  RowPass* behind_;
  std::unique_ptr<RowPass> own_;
};

/// Writes a pass with its kind.
void save_pass(const RowPass& pass, Archive& archive, const std::string& prefix);
/// The kind of a saved pass, and where a lens has the pass behind it.
const std::string& saved_kind(const Archive& archive, const std::string& prefix);
std::string prefix_behind(const std::string& prefix);

} // namespace lacuna
