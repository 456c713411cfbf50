#pragma once

#include <cstdint>

#include "features/vae_layout.hpp"
#include "lacuna/features/feature_map.hpp"

namespace lacuna {

/// The encoder of a trained VAE. Applying it needs no libtorch.
class VaeMap : public FeatureMap {
public:
  VaeMap(VaeOptions options, Index n_inputs, double scale, std::uint64_t seed, std::vector<float> parameters);
  static std::shared_ptr<const VaeMap> load(const Archive& archive, const std::string& prefix);

  Index n_inputs() const override { return layout_.n_inputs; }
  Index n_outputs() const override { return layout_.n_latent; }
  std::vector<std::string> output_names(const std::vector<std::string>& input_names) const override;
  void apply(MatrixView rows, const ApplyOptions& how, Matrix& out) const override;
  std::string kind() const override { return "vae"; }

  const std::vector<float>& parameters() const { return parameters_; }
  const VaeLayout& layout() const { return layout_; }
  double scale() const { return scale_; }

private:
  /// The whole network, decoder included, one tensor per layer.
  void save_parts(Archive& archive, const std::string& prefix) const override;

  VaeOptions options_;
  VaeLayout layout_;
  double scale_; ///< inputs are multiplied by it
  std::uint64_t seed_;
  std::vector<float> parameters_;
};

} // namespace lacuna
