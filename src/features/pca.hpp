#pragma once

#include "lacuna/features/feature_map.hpp"

namespace lacuna {

/// Principal components: x -> components (x - mean), by falling variance.
class Pca : public FeatureMap {
public:
  /// `components`: one row per output; `variances` along them.
  Pca(std::vector<double> means, Matrix components, std::vector<double> variances)
      : means_(std::move(means)), components_(std::move(components)), variances_(std::move(variances)) {}
  /// As many components as `n_outputs` says; where that is 0, as explain at least `share` of the variance.
  /// The largest loading of every component is positive, so that the signs are no matter of chance.
  static std::shared_ptr<const Pca> fit(MatrixView rows, Index n_outputs, double share, int threads);
  static std::shared_ptr<const Pca> load(const Archive& archive, const std::string& prefix);

  Index n_inputs() const override { return components_.n_cols(); }
  Index n_outputs() const override { return components_.n_rows(); }
  std::vector<std::string> output_names(const std::vector<std::string>& input_names) const override;
  void apply(MatrixView rows, const ApplyOptions& how, Matrix& out) const override;
  std::string kind() const override { return "pca"; }

  const Matrix& components() const { return components_; }
  const std::vector<double>& variances() const { return variances_; }

private:
  void save_parts(Archive& archive, const std::string& prefix) const override;

  std::vector<double> means_;
  Matrix components_;
  std::vector<double> variances_;
};

} // namespace lacuna
