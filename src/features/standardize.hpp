#pragma once

#include <span>

#include "lacuna/features/feature_map.hpp"

namespace lacuna {

/// x -> (x - mean) / scale, feature by feature.
class Standardize : public FeatureMap {
public:
  Standardize(std::vector<double> means, std::vector<double> scales)
      : means_(std::move(means)), scales_(std::move(scales)) {}
  /// Scales are standard deviations (divided by n); 1 for a constant feature.
  /// Missing values do not count; columns of categories, where `levels` is not 0, stay as they are.
  static std::shared_ptr<const Standardize> fit(MatrixView rows, std::span<const Index> levels = {});
  static std::shared_ptr<const Standardize> load(const Archive& archive, const std::string& prefix);

  Index n_inputs() const override { return static_cast<Index>(means_.size()); }
  Index n_outputs() const override { return n_inputs(); }
  std::vector<std::string> output_names(const std::vector<std::string>& input_names) const override {
    return input_names;
  }
  void apply(MatrixView rows, const ApplyOptions& how, Matrix& out) const override;
  bool handles_missing_values() const override { return true; }
  std::string kind() const override { return "standardize"; }

  const std::vector<double>& means() const { return means_; }
  const std::vector<double>& scales() const { return scales_; }

private:
  void save_parts(Archive& archive, const std::string& prefix) const override;

  std::vector<double> means_;
  std::vector<double> scales_;
};

} // namespace lacuna
