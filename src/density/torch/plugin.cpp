#include "core/torch/torch_guard.hpp"
#include "density/torch/torch_rows.hpp"

namespace lacuna {

namespace {

/// Every call, guarded.
class GuardedRows : public RowProducts {
public:
  GuardedRows(Index n_rows, Index n_features, const torch::Device& device)
      : rows_(n_rows, n_features, device) {}

  std::string device() const override { return rows_.device(); }
  void put(Index first, Index count, const double* features, const double* weights) override {
    guarded([&] { rows_.put(first, count, features, weights); });
  }
  ProductSums collect(const ProductMixture& mixture) override {
    return guarded([&] { return rows_.collect(mixture); });
  }
  void log_density(const ProductMixture& mixture, std::span<double> out) override {
    guarded([&] { rows_.log_density(mixture, out); });
  }

private:
  TorchRows rows_;
};

std::unique_ptr<RowProducts> place_rows(Index n_rows, Index n_features, bool on_gpu) {
  return guarded([&]() -> std::unique_ptr<RowProducts> {
    return std::make_unique<GuardedRows>(n_rows, n_features,
                                         torch::Device(on_gpu ? torch::kCUDA : torch::kCPU));
  });
}

} // namespace

} // namespace lacuna

extern "C" __attribute__((visibility("default"))) const lacuna::RowProductsPlugin*
lacuna_row_products_plugin() {
  static const lacuna::RowProductsPlugin plugin{lacuna::place_rows};
  return &plugin;
}
