#pragma once

#include <torch/torch.h>

#include "density/row_products.hpp"

namespace lacuna {

/// Matrix products over blocks of rows by libtorch, in double precision.
class TorchRows : public RowProducts {
public:
  TorchRows(Index n_rows, Index n_features, const torch::Device& device);

  std::string device() const override { return device_.str(); }
  void put(Index first, Index count, const double* features, const double* weights) override;
  ProductSums collect(const ProductMixture& mixture) override;
  void log_density(const ProductMixture& mixture, std::span<double> out) override;

private:
  /// A mixture's numbers on the device, and room for a block's products and logarithms.
  struct Work;
  struct FarSums;

  torch::Tensor on_device(const double* values, std::vector<std::int64_t> sizes) const;
  Work prepare(const ProductMixture& mixture) const;
  void write_products(const torch::Tensor& rows, Work& work) const;
  /// The logarithms of weight times density: components x rows.
  torch::Tensor logits(const torch::Tensor& rows, Work& work) const;
  void add_far(const torch::Tensor& rows, const torch::Tensor& shares, const Work& work, FarSums& sums) const;
  template <class Visit>
  void for_each_block(const Work& work, const Visit& visit) const;

  torch::Device device_;
  Index n_rows_;
  bool has_unit_weights_ = true;
  torch::Tensor rows_; ///< features x rows, with zeros behind the last row up to a whole chunk
  torch::Tensor weights_;
};

} // namespace lacuna
