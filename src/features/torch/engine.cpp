#include "features/torch/engine.hpp"

#include <cmath>

#ifdef LACUNA_TORCH_CUDA
#include <ATen/cuda/CUDAGraph.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>
#endif

namespace lacuna {

namespace {

torch::Tensor borrowed(const float* values, std::int64_t n) {
  // from_blob wants a mutable pointer; nothing here writes through it.
  return torch::from_blob(const_cast<float*>(values), {n}, torch::kFloat32);
}

torch::Tensor borrowed(const std::vector<float>& values) {
  return borrowed(values.data(), static_cast<std::int64_t>(values.size()));
}

std::vector<float> copied(const torch::Tensor& values) {
  const torch::Tensor here = values.to(torch::kCPU).contiguous();
  return {here.data_ptr<float>(), here.data_ptr<float>() + here.numel()};
}

} // namespace

#ifdef LACUNA_TORCH_CUDA
/// A step recorded as a CUDA graph: one launch instead of a hundred.
class TorchEngine::Recording {
public:
  Recording() : stream_(c10::cuda::getStreamFromPool()) {}

  template <typename Step>
  void record(const Step& step) {
    torch::cuda::synchronize();
    {
      const c10::cuda::CUDAStreamGuard on_stream(stream_);
      graph_.capture_begin();
      step();
      graph_.capture_end();
    }
    torch::cuda::synchronize();
    is_ready_ = true;
  }
  bool is_ready() const { return is_ready_; }
  void replay() { graph_.replay(); }

  /// Warm-up steps run where the recording will, because libraries set themselves up per stream.
  template <typename Step>
  void warm_up(const Step& step) {
    torch::cuda::synchronize();
    {
      const c10::cuda::CUDAStreamGuard on_stream(stream_);
      step();
    }
    torch::cuda::synchronize();
    ++n_warm_up_;
  }
  bool is_warm() const { return n_warm_up_ >= 3; }

private:
  c10::cuda::CUDAStream stream_;
  at::cuda::CUDAGraph graph_;
  bool is_ready_ = false;
  int n_warm_up_ = 0;
};
#else
class TorchEngine::Recording {};
#endif

TorchEngine::TorchEngine(const VaeTask& task, const torch::Device& device)
    : task_(task), device_(device),
      rows_(borrowed(task.rows, (task.n_training + task.n_held_out) * task.layout.n_inputs)
                .view({-1, task.layout.n_inputs})
                .to(device)),
      parameters_(torch::zeros({task.layout.n_parameters}, device)),
      first_moments_(torch::zeros_like(parameters_)), second_moments_(torch::zeros_like(parameters_)),
      order_(torch::zeros({task.n_training}, torch::dtype(torch::kInt64).device(device))),
      noise_(torch::zeros({task.n_training, task.layout.n_latent}, device)),
      position_(torch::zeros({1}, torch::dtype(torch::kInt64).device(device))),
      places_(torch::arange(task.batch_size, torch::dtype(torch::kInt64).device(device))),
      n_steps_(torch::zeros({1}, torch::dtype(torch::kFloat64).device(device))),
      learning_rate_(torch::zeros({1}, torch::dtype(torch::kFloat64).device(device))),
      kl_weight_(torch::ones({1}, device)),
      elbo_(torch::zeros({1}, torch::dtype(torch::kFloat64).device(device))), net_(task.layout, parameters_) {
  if (device.is_cpu()) at::set_num_threads(task.threads);
#ifdef LACUNA_TORCH_CUDA
  if (device.is_cuda()) recording_ = std::make_unique<Recording>();
#endif
}

TorchEngine::~TorchEngine() = default;

void TorchEngine::set_state(const VaeState& state) {
  const torch::NoGradGuard no_gradients;
  parameters_.copy_(borrowed(state.parameters));
  first_moments_.copy_(borrowed(state.first_moments));
  second_moments_.copy_(borrowed(state.second_moments));
  n_steps_.fill_(static_cast<double>(state.n_steps));
}

VaeState TorchEngine::state() const {
  return {copied(parameters_), copied(first_moments_), copied(second_moments_),
          static_cast<Index>(n_steps_.item<double>())};
}

void TorchEngine::step(std::int64_t n_rows) {
  const torch::Tensor at = position_ + places_.narrow(0, 0, n_rows);
  const torch::Tensor batch_rows = rows_.index_select(0, order_.index_select(0, at));
  const VaeNet::Batch batch =
      net_.gradient(batch_rows, noise_.index_select(0, at), kl_weight_, 1.0 / static_cast<double>(n_rows));
  const torch::NoGradGuard no_gradients;
  elbo_.add_(batch.log_likelihood - batch.kl);
  position_.add_(n_rows);
  update(batch.gradient);
}

void TorchEngine::update(const torch::Tensor& gradient) {
  n_steps_.add_(1.0);
  const torch::Tensor rate = learning_rate_ / (1.0 - torch::pow(adam_beta_1, n_steps_));
  const torch::Tensor root = (1.0 - torch::pow(adam_beta_2, n_steps_)).rsqrt();
  first_moments_.lerp_(gradient, 1.0 - adam_beta_1);
  second_moments_.mul_(adam_beta_2).addcmul_(gradient, gradient, 1.0 - adam_beta_2);
  const torch::Tensor divisor = second_moments_.sqrt().mul_(root.to(torch::kFloat32)).add_(adam_epsilon);
  parameters_.sub_(torch::div(first_moments_, divisor).mul_(rate.to(torch::kFloat32)));
}

double TorchEngine::train_epoch(std::span<const std::int64_t> order, std::span<const float> noise,
                                double kl_weight, double learning_rate) {
  const auto n = static_cast<std::int64_t>(order.size());
  {
    const torch::NoGradGuard no_gradients;
    order_.copy_(torch::from_blob(const_cast<std::int64_t*>(order.data()), {n}, torch::kInt64));
    noise_.copy_(borrowed(noise.data(), noise_.numel()).view_as(noise_));
    position_.zero_();
    elbo_.zero_();
    learning_rate_.fill_(learning_rate);
    kl_weight_.fill_(kl_weight);
  }
  for (std::int64_t first = 0, number = 0; first < n; first += task_.batch_size, ++number) {
    if (number % steps_between_looks == 0) task_.between_steps();
    const std::int64_t count = std::min<std::int64_t>(task_.batch_size, n - first);
#ifdef LACUNA_TORCH_CUDA
    if (recording_ && count == task_.batch_size) {
      if (!recording_->is_warm()) {
        recording_->warm_up([&] { step(count); });
        continue;
      }
      if (!recording_->is_ready()) recording_->record([&] { step(count); });
      recording_->replay();
      continue;
    }
#endif
    step(count);
  }
  return elbo_.item<double>() / static_cast<double>(n);
}

double TorchEngine::held_out_elbo(std::span<const float> noise) {
  const torch::NoGradGuard no_gradients;
  const std::int64_t n = task_.n_held_out;
  const torch::Tensor all_noise =
      borrowed(noise.data(), n * task_.layout.n_latent).view({n, task_.layout.n_latent}).to(device_);
  torch::Tensor sum = torch::zeros({}, torch::dtype(torch::kFloat64).device(device_));
  for (std::int64_t first = 0; first < n; first += task_.batch_size) {
    const std::int64_t count = std::min<std::int64_t>(task_.batch_size, n - first);
    sum += net_.elbo(rows_.narrow(0, task_.n_training + first, count), all_noise.narrow(0, first, count));
  }
  return sum.item<double>() / static_cast<double>(n);
}

} // namespace lacuna
