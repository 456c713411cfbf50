#include "density/torch/torch_rows.hpp"

#include <algorithm>

namespace lacuna {

namespace {

/// Sums over so many rows are products of their own, added up afterwards: enough of them to keep a GPU busy.
constexpr std::int64_t chunk = 2048;

/// Of a block's products, logarithms, responsibilities and what lies between them: half a gigabyte.
constexpr std::int64_t block_values = std::int64_t{1} << 26;

torch::Tensor borrowed(const double* values, std::vector<std::int64_t> sizes) {
  // from_blob wants a mutable pointer; nothing here writes through it.
  return torch::from_blob(const_cast<double*>(values), sizes, torch::kFloat64);
}

/// left (a x rows) times right (b x rows) transposed, chunk by chunk.
torch::Tensor sum_of_products(const torch::Tensor& left, const torch::Tensor& right) {
  const auto chunks = [](const torch::Tensor& values) {
    return values.view({values.size(0), values.size(1) / chunk, chunk});
  };
  return torch::bmm(chunks(left).permute({1, 0, 2}), chunks(right).permute({1, 2, 0})).sum(0);
}

} // namespace

struct TorchRows::Work {
  explicit Work(const ProductMixture& of)
      : mixture(of), n_near(of.n_near()), n_components(n_near + of.n_far()) {}

  const ProductMixture& mixture;
  std::int64_t n_near;
  std::int64_t n_components;
  std::int64_t block_rows = chunk;
  torch::Tensor forms;
  torch::Tensor far_mean;
  torch::Tensor far_whitener;
  torch::Tensor constant;
  torch::Tensor power;
  torch::Tensor factor;
  torch::Tensor products;
};

/// Moments of far components about their own means.
struct TorchRows::FarSums {
  torch::Tensor second; ///< components x features x features; diagonal: components x features
  torch::Tensor first;  ///< components x features
  torch::Tensor zeroth;
};

TorchRows::TorchRows(Index n_rows, Index n_features, const torch::Device& device)
    : device_(device), n_rows_(n_rows) {
  const std::int64_t padded = (n_rows + chunk - 1) / chunk * chunk;
  rows_ = torch::zeros({n_features, padded}, torch::dtype(torch::kFloat64).device(device));
  weights_ = torch::zeros({padded}, torch::dtype(torch::kFloat64).device(device));
}

torch::Tensor TorchRows::on_device(const double* values, std::vector<std::int64_t> sizes) const {
  return borrowed(values, std::move(sizes))
      .to(device_, torch::kFloat64, /*non_blocking=*/false, /*copy=*/true);
}

void TorchRows::put(Index first, Index count, const double* features, const double* weights) {
  const torch::NoGradGuard no_gradients;
  rows_.narrow(1, first, count).copy_(borrowed(features, {rows_.size(0), count}));
  weights_.narrow(0, first, count).copy_(borrowed(weights, {count}));
  has_unit_weights_ &= std::all_of(weights, weights + count, [](double w) { return w == 1.0; });
}

TorchRows::Work TorchRows::prepare(const ProductMixture& mixture) const {
  const std::int64_t d = rows_.size(0);
  const std::int64_t n_near = mixture.n_near();
  const std::int64_t n_far = mixture.n_far();
  const std::int64_t n_all = n_products(d, mixture.is_diagonal);
  Work work(mixture);
  work.block_rows =
      std::clamp(block_values / (n_all + 3 * work.n_components) / chunk * chunk, chunk, rows_.size(1));
  work.forms = on_device(mixture.forms.values().data(), {n_near, n_all});
  work.far_mean = on_device(mixture.far_mean.values().data(), {n_far, d, 1});
  work.far_whitener =
      on_device(mixture.far_whitener.values().data(), {n_far, mixture.is_diagonal ? 1 : d, d});
  work.constant = on_device(mixture.constant.data(), {work.n_components, 1});
  if (mixture.is_student) {
    work.power = on_device(mixture.power.data(), {work.n_components, 1});
    work.factor = on_device(mixture.factor.data(), {work.n_components, 1});
  }
  work.products = torch::empty({n_all, work.block_rows}, rows_.options());
  work.products.select(0, n_all - 1).fill_(1.0);
  return work;
}

template <class Visit>
void TorchRows::for_each_block(const Work& work, const Visit& visit) const {
  for (std::int64_t first = 0; first < rows_.size(1); first += work.block_rows)
    visit(first, std::min(work.block_rows, rows_.size(1) - first));
}

void TorchRows::write_products(const torch::Tensor& rows, Work& work) const {
  const std::int64_t d = rows.size(0);
  const torch::Tensor all = work.products.narrow(1, 0, rows.size(1));
  std::int64_t at = 0;
  const auto write = [&](std::int64_t n, const torch::Tensor& left, const torch::Tensor& right) {
    torch::Tensor to = all.narrow(0, at, n);
    torch::mul_out(to, left, right);
    at += n;
  };
  if (work.mixture.is_diagonal) write(d, rows, rows);
  for (std::int64_t i = 0; !work.mixture.is_diagonal && i < d; ++i)
    write(i + 1, rows.narrow(0, 0, i + 1), rows.narrow(0, i, 1));
  all.narrow(0, at, d).copy_(rows);
}

torch::Tensor TorchRows::logits(const torch::Tensor& rows, Work& work) const {
  const ProductMixture& mixture = work.mixture;
  torch::Tensor values = torch::empty({work.n_components, rows.size(1)}, rows_.options());
  if (work.n_near > 0) {
    write_products(rows, work);
    torch::Tensor near = values.narrow(0, 0, work.n_near);
    torch::mm_out(near, work.forms, work.products.narrow(1, 0, rows.size(1)));
  }
  for (std::int64_t k = 0; k < mixture.n_far(); ++k) {
    const torch::Tensor difference = rows - work.far_mean[k];
    torch::Tensor to = values.narrow(0, work.n_near + k, 1);
    if (mixture.is_diagonal) {
      torch::mm_out(to, work.far_whitener[k], difference * difference);
    } else {
      const torch::Tensor white = torch::mm(work.far_whitener[k], difference);
      torch::sum_out(to, white * white, 0, /*keepdim=*/true);
    }
  }
  if (mixture.is_student) // rounding may leave less than nothing of a sum of squares
    return values.clamp_min_(0.0).mul_(work.factor).log1p_().mul_(work.power).neg_().add_(work.constant);
  if (mixture.n_far() > 0) {
    torch::Tensor far = values.narrow(0, work.n_near, mixture.n_far());
    far.mul_(-0.5).add_(work.constant.narrow(0, work.n_near, mixture.n_far()));
  }
  return values;
}

void TorchRows::add_far(const torch::Tensor& rows, const torch::Tensor& shares, const Work& work,
                        FarSums& sums) const {
  for (std::int64_t k = 0; k < work.mixture.n_far(); ++k) {
    const torch::Tensor share = shares.narrow(0, work.n_near + k, 1);
    const torch::Tensor difference = rows - work.far_mean[k];
    const torch::Tensor weighted = difference * share;
    sums.second[k].add_(work.mixture.is_diagonal ? (weighted * difference).sum(1)
                                                 : sum_of_products(weighted, difference));
    sums.first[k].add_(weighted.sum(1));
    sums.zeroth[k].add_(share.sum());
  }
}

ProductSums TorchRows::collect(const ProductMixture& mixture) {
  const torch::NoGradGuard no_gradients;
  Work work = prepare(mixture);
  const std::int64_t d = rows_.size(0);
  const std::int64_t n_far = mixture.n_far();
  torch::Tensor near = torch::zeros_like(work.forms);
  const auto zeros = [&](std::vector<std::int64_t> sizes) { return torch::zeros(sizes, rows_.options()); };
  FarSums far{mixture.is_diagonal ? zeros({n_far, d}) : zeros({n_far, d, d}), zeros({n_far, d}),
              zeros({n_far})};
  torch::Tensor log_likelihood = zeros({});
  for_each_block(work, [&](std::int64_t first, std::int64_t count) {
    const torch::Tensor rows = rows_.narrow(1, first, count);
    const torch::Tensor weights = weights_.narrow(0, first, count);
    const torch::Tensor values = logits(rows, work);
    torch::Tensor shares = torch::softmax(values, 0);
    // The largest share is one by the sum of all.
    const torch::Tensor totals = values.amax(0) - shares.amax(0).log();
    log_likelihood.add_(torch::dot(totals, weights));
    const std::int64_t n_real = std::min(count, n_rows_ - first);
    if (!has_unit_weights_)
      shares.mul_(weights);
    else if (n_real < count)
      shares.narrow(1, n_real, count - n_real).zero_();
    if (work.n_near > 0)
      near.add_(sum_of_products(shares.narrow(0, 0, work.n_near), work.products.narrow(1, 0, count)));
    add_far(rows, shares, work, far);
  });
  const auto copy_out = [](const torch::Tensor& values, Matrix& to) {
    torch::from_blob(to.values().data(), values.sizes().vec(), torch::kFloat64).copy_(values);
  };
  ProductSums sums{Matrix(work.n_near, work.forms.size(1)), Matrix(n_far, work.forms.size(1))};
  copy_out(near, sums.near);
  sums.log_likelihood = log_likelihood.item<double>();
  if (n_far == 0) return sums;
  std::vector<torch::Tensor> parts;
  if (mixture.is_diagonal) parts.push_back(far.second);
  for (std::int64_t i = 0; !mixture.is_diagonal && i < d; ++i)
    parts.push_back(far.second.select(1, i).narrow(1, 0, i + 1));
  parts.push_back(far.first);
  parts.push_back(far.zeroth.view({n_far, 1}));
  copy_out(torch::cat(parts, 1), sums.far);
  return sums;
}

void TorchRows::log_density(const ProductMixture& mixture, std::span<double> out) {
  const torch::NoGradGuard no_gradients;
  Work work = prepare(mixture);
  for_each_block(work, [&](std::int64_t first, std::int64_t count) {
    const std::int64_t n_real = std::min(count, n_rows_ - first);
    const torch::Tensor totals = torch::logsumexp(logits(rows_.narrow(1, first, count), work), 0);
    torch::from_blob(out.data() + first, {n_real}, torch::kFloat64).copy_(totals.narrow(0, 0, n_real));
  });
}

} // namespace lacuna
