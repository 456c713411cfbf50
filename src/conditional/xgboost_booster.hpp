#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "conditional/column_scales.hpp"
#include "conditional/labeled_rows.hpp"
#include "conditional/tree_ensemble.hpp"
#include "conditional/xgboost_library.hpp"

namespace lacuna {

/// What XGBoost made, and the function that frees it.
using XgboostObject = std::unique_ptr<void, int (*)(XgboostLibrary::Handle)>;

/// The labeled rows, as XGBoost takes them.
class XgboostMatrix {
public:
  /// `starts` has the margins from which every row's trees start, one per output.
  XgboostMatrix(const DatasetView& data, const LabeledRows& labeled, const ColumnScales& scales,
                std::span<const float> starts);

  XgboostLibrary::Handle handle() const { return handle_.get(); }
  std::size_t n_rows() const { return n_rows_; }
  std::span<const float> cells() const { return cells_; }

private:
  void describe(const DatasetView& data, const LabeledRows& labeled, std::span<const float> starts);

  std::size_t n_rows_;
  std::vector<float> cells_; ///< rows x features
  XgboostObject handle_{nullptr, nullptr};
};

/// A model of XGBoost while it grows. Everything in it runs on one thread: fits run side by side instead.
class XgboostBooster {
public:
  XgboostBooster(const XgboostMatrix& matrix, std::size_t n_classes, int n_leaves, std::uint64_t seed);

  void add_round(int round, const XgboostMatrix& matrix);
  TreeEnsemble trees(Index n_features) const;
  /// What XGBoost itself says about the rows, rows x outputs; valid until it is asked again.
  std::span<const float> margins(const XgboostMatrix& matrix) const;

private:
  XgboostLibrary::Handle handle() const { return handle_.get(); }
  void configure(std::size_t n_classes, int n_leaves, std::uint64_t seed);

  Index n_outputs_;
  XgboostObject handle_{nullptr, nullptr};
};

} // namespace lacuna
