#include "features/torch/cpu_engine.hpp"
#include "features/torch/engine.hpp"
#include "lacuna/core/errors.hpp"

namespace lacuna {

namespace {

bool has_cuda() {
  try {
    return torch::cuda::is_available();
  } catch (const c10::Error&) {
    return false;
  }
}

// libtorch's own errors carry a stack trace of many lines; the first line is for people.
[[noreturn]] void rethrow(const c10::Error& error) {
  throw Error(ErrorKind::internal, std::string("libtorch: ") + error.what_without_backtrace());
}

template <typename Work>
auto guarded(const Work& work) {
  try {
    return work();
  } catch (const c10::Error& error) {
    rethrow(error);
  }
}

/// Every call of the engine, with libtorch's exceptions turned into ours.
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

std::unique_ptr<VaeEngine> make_torch_engine(const VaeTask& task) {
  return guarded([&]() -> std::unique_ptr<VaeEngine> {
    const torch::Device device(task.device == VaeDevice::cuda ? torch::kCUDA : torch::kCPU);
    return std::make_unique<GuardedEngine>(std::make_unique<TorchEngine>(task, device));
  });
}

std::unique_ptr<VaeEngine> make_engine(const VaeTask& task) {
  if (task.device == VaeDevice::cuda && !has_cuda())
    throw Error(ErrorKind::usage,
                "device: got cuda, but libtorch finds no GPU here; use " + mention("device") +
                    " cpu, or build lacuna with a CUDA libtorch and check the driver (nvidia-smi)");
  if (task.device == VaeDevice::cpu || !has_cuda()) return std::make_unique<CpuEngine>(task);
  VaeTask on_gpu = task;
  on_gpu.device = VaeDevice::cuda;
  return make_torch_engine(on_gpu);
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
  static const lacuna::VaePlugin plugin{lacuna::vae_plugin_version, lacuna::has_cuda(), lacuna::make_engine,
                                        lacuna::make_torch_engine, lacuna::gradient};
  return &plugin;
}
