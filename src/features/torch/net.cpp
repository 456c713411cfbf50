#include "features/torch/net.hpp"

#include <cmath>
#include <numbers>

namespace lacuna {

namespace {

torch::Tensor activate(VaeActivation activation, torch::Tensor values) {
  if (activation == VaeActivation::relu) return values.relu_();
  if (activation == VaeActivation::tanh) return values.tanh_();
  return values.sigmoid_();
}

// Half of exp(s) + m^2 - 1 - s, summed: docs/math/vae.md (3).
torch::Tensor kl_divergence(const torch::Tensor& mean, const torch::Tensor& log_variance) {
  return 0.5 * (log_variance.exp() + mean * mean - 1.0 - log_variance).sum();
}

} // namespace

struct VaeNet::Pass {
  torch::Tensor encoded; ///< means, then logarithms of variances
  torch::Tensor mean;
  torch::Tensor log_variance;
  torch::Tensor decoded;
};

VaeNet::VaeNet(const VaeLayout& layout, const torch::Tensor& parameters) : layout_(layout) {
  // A detached view is a leaf of its own, and still sees what Adam writes into the flat tensor.
  const auto leaf = [&](Index first, std::vector<Index> shape) {
    std::int64_t count = 1;
    for (const Index size : shape) count *= size;
    const std::vector<std::int64_t> sizes(shape.begin(), shape.end());
    torch::Tensor view = parameters.narrow(0, first, count).view(sizes).detach();
    view.set_requires_grad(true);
    learned_.push_back(view);
    return view;
  };
  const auto layers = [&](const std::vector<VaeLayer>& descriptions) {
    std::vector<Layer> result;
    for (const VaeLayer& layer : descriptions) {
      const torch::Tensor weight = leaf(layer.weight, layer.weight_shape());
      result.push_back({layer, weight, leaf(layer.bias, {layer.n_outputs})});
    }
    return result;
  };
  encoder_ = layers(layout.encoder);
  decoder_ = layers(layout.decoder);
  if (layout.log_variance >= 0)
    log_variance_ = parameters.narrow(0, layout.log_variance, layout.n_inputs).detach();
}

torch::Tensor VaeNet::run(const std::vector<Layer>& layers, torch::Tensor values) const {
  const std::int64_t n_rows = values.size(0);
  for (const Layer& layer : layers) {
    const VaeLayer& as = layer.description;
    if (as.kind == VaeLayer::Kind::dense) {
      values = torch::addmm(layer.bias, values.reshape({n_rows, as.n_inputs}), layer.weight.t());
    } else {
      values = values.reshape({n_rows, as.n_inputs, as.height, as.width});
      values = as.kind == VaeLayer::Kind::conv
                   ? torch::conv2d(values, layer.weight, layer.bias, 2, 1)
                   : torch::conv_transpose2d(values, layer.weight, layer.bias, 2, 1);
    }
    if (as.has_activation) values = activate(layout_.activation, values);
  }
  return values.reshape({n_rows, -1});
}

VaeNet::Pass VaeNet::forward(const torch::Tensor& rows, const torch::Tensor& noise) const {
  Pass pass;
  pass.encoded = run(encoder_, rows);
  pass.mean = pass.encoded.narrow(1, 0, layout_.n_latent);
  pass.log_variance = pass.encoded.narrow(1, layout_.n_latent, layout_.n_latent);
  pass.decoded = run(decoder_, torch::addcmul(pass.mean, noise, (0.5 * pass.log_variance).exp()));
  return pass;
}

torch::Tensor VaeNet::log_likelihood(const torch::Tensor& rows, const torch::Tensor& decoded) const {
  if (layout_.likelihood == VaeLikelihood::bernoulli)
    return (rows * decoded - torch::softplus(decoded)).sum();
  const torch::Tensor variance = log_variance_.exp() + smallest_vae_variance;
  const torch::Tensor residual = rows - decoded;
  return -0.5 * (residual * residual / variance + variance.log() + std::log(2.0 * std::numbers::pi)).sum();
}

VaeNet::Batch VaeNet::gradient(const torch::Tensor& rows, const torch::Tensor& noise,
                               const torch::Tensor& kl_weight, double scale) const {
  const Pass pass = forward(rows, noise);
  const torch::NoGradGuard no_gradients;
  Batch batch;
  batch.kl = kl_divergence(pass.mean, pass.log_variance);
  batch.log_likelihood = log_likelihood(rows, pass.decoded);

  // The gradients of both terms by hand, docs/math/vae.md (4) and (5); autograd does the layers.
  torch::Tensor by_decoded;
  std::vector<torch::Tensor> flat;
  torch::Tensor by_log_variance;
  if (layout_.likelihood == VaeLikelihood::bernoulli) {
    by_decoded = (torch::sigmoid(pass.decoded) - rows).mul_(scale);
  } else {
    const torch::Tensor exponential = log_variance_.exp();
    const torch::Tensor variance = exponential + smallest_vae_variance;
    const torch::Tensor residual = pass.decoded - rows;
    by_decoded = (residual / variance).mul_(scale);
    by_log_variance =
        (0.5 * scale) * ((1.0 - residual * residual / variance) * (exponential / variance)).sum(0);
  }
  const torch::Tensor by_encoded =
      torch::cat({pass.mean, 0.5 * (pass.log_variance.exp() - 1.0)}, 1).mul_(kl_weight * scale);
  const std::vector<torch::Tensor> gradients =
      torch::autograd::grad({pass.decoded, pass.encoded}, learned_, {by_decoded, by_encoded});
  for (const torch::Tensor& part : gradients) flat.push_back(part.reshape({-1}));
  if (by_log_variance.defined()) flat.push_back(by_log_variance);
  batch.gradient = torch::cat(flat);
  return batch;
}

torch::Tensor VaeNet::elbo(const torch::Tensor& rows, const torch::Tensor& noise) const {
  const torch::NoGradGuard no_gradients;
  const Pass pass = forward(rows, noise);
  return log_likelihood(rows, pass.decoded) - kl_divergence(pass.mean, pass.log_variance);
}

} // namespace lacuna
