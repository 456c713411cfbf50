#include "core/torch/torch_guard.hpp"
#include "features/torch/engine.hpp"
#include "features/vae_plugin.hpp"

namespace lacuna {

namespace {

/// Every call of the engine, guarded.
class GuardedEngine : public VaeEngine {
public:
  explicit GuardedEngine(std::unique_ptr<VaeEngine> engine) : engine_(std::move(engine)) {}

  std::string device() const override { return engine_->device(); }
  void set_state(const VaeState& state) override {
    guarded([&] { engine_->set_state(state); });
  }
  VaeState state() const override {
    return guarded([&] { return engine_->state(); });
  }
  double train_epoch(std::span<const std::int64_t> order, std::span<const float> noise, double kl_weight,
                     double learning_rate) override {
    return guarded([&] { return engine_->train_epoch(order, noise, kl_weight, learning_rate); });
  }
  double held_out_elbo(std::span<const float> noise) override {
    return guarded([&] { return engine_->held_out_elbo(noise); });
  }

private:
  std::unique_ptr<VaeEngine> engine_;
};

std::unique_ptr<VaeEngine> make_engine(const VaeTask& task, bool on_gpu) {
  return guarded([&]() -> std::unique_ptr<VaeEngine> {
    const torch::Device device(on_gpu ? torch::kCUDA : torch::kCPU);
    return std::make_unique<GuardedEngine>(std::make_unique<TorchEngine>(task, device));
  });
}

VaeGradient gradient(const VaeLayout& layout, std::span<const double> parameters,
                     std::span<const double> rows, std::span<const double> noise, double kl_weight) {
  const auto tensor = [](std::span<const double> values, std::vector<std::int64_t> sizes) {
    return torch::from_blob(const_cast<double*>(values.data()), sizes, torch::kFloat64);
  };
  const auto n = static_cast<std::int64_t>(rows.size()) / layout.n_inputs;
  const VaeNet net(layout, tensor(parameters, {layout.n_parameters}));
  const auto n_rows = static_cast<double>(n);
  const VaeNet::Batch batch =
      net.gradient(tensor(rows, {n, layout.n_inputs}), tensor(noise, {n, layout.n_latent}),
                   torch::full({1}, kl_weight, torch::kFloat64), 1.0 / n_rows);
  const double* values = batch.gradient.data_ptr<double>();
  return {(batch.log_likelihood.item<double>() - kl_weight * batch.kl.item<double>()) / n_rows,
          {values, values + batch.gradient.numel()}};
}

} // namespace

} // namespace lacuna

extern "C" __attribute__((visibility("default"))) const lacuna::VaePlugin* lacuna_vae_plugin() {
  static const lacuna::VaePlugin plugin{lacuna::make_engine, lacuna::gradient};
  return &plugin;
}
