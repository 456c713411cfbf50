#pragma once

// Number by number: activations, the Bernoulli likelihood, Adam. For dense_impl.cpp alone.

#include "features/network/dense.hpp"
#include "math/simd.hpp"

namespace lacuna {

namespace {

constexpr Index lanes = lanes_of<float>;

// The last vector goes through the same arithmetic, filled up with zeros: a number's bits do not depend on
// where it stands.
template <typename Function>
inline void transform(float* values, Index n, const Function& function) {
  for (Index i = 0; i < n; i += lanes) store_some(values + i, n - i, function(load_some(values + i, n - i)));
}

template <typename Function>
inline void transform(const float* results, float* gradients, Index n, const Function& function) {
  for (Index i = 0; i < n; i += lanes)
    store_some(gradients + i, n - i,
               function(load_some(results + i, n - i), load_some(gradients + i, n - i)));
}

void relu(float* values, Index n) {
  transform(values, n, [](Floats x) { return at_least(x, 0.0F); });
}

void pull_back_relu(const float* results, float* gradients, Index n) {
  transform(results, gradients, n, [](Floats y, Floats g) { return y > 0.0F ? g : Floats{}; });
}

// With e = exp(-2|x|): tanh |x| = (1 - e) / (1 + e).
void tanh(float* values, Index n) {
  transform(values, n, [](Floats x) {
    const Floats below_zero = Exponential(-2.0F * magnitude(x)).minus_one();
    const Floats y = below_zero / (2.0F + below_zero);
    return x < 0.0F ? y : -y;
  });
}

void pull_back_tanh(const float* results, float* gradients, Index n) {
  transform(results, gradients, n, [](Floats y, Floats g) { return g * (1.0F - y * y); });
}

/// A product that is rounded before a sum takes it. gcc leaves the one below alone, clang would fuse it.
inline Floats rounded(Floats product) {
#if defined(__clang__) && defined(__x86_64__)
  asm("" : "+x"(product)); // nothing happens, but the compiler does not know
#endif
  return product;
}

// With e = exp(-|x|): 1 / (1 + e) above 0, e / (1 + e) below.
void sigmoid(float* values, Index n) {
  transform(values, n, [](Floats x) {
    const Floats e = Exponential(-magnitude(x)).value();
    return (x < 0.0F ? e : same(1.0F)) / (1.0F + e);
  });
}

void pull_back_sigmoid(const float* results, float* gradients, Index n) {
  transform(results, gradients, n, [](Floats y, Floats g) { return g * (y * (1.0F - y)); });
}

// The softplus needs log(1 + e^-|y|) of every value: the product of 64 such factors is at most 2^64, so one
// logarithm does for all.
float bernoulli(const float* x, const float* y, float* gradient, Index n, float scale) {
  Floats sums{};
  float logs = 0.0F;
  for (Index first = 0; first < n; first += 64 * lanes) {
    const Index last = n - first < 64 * lanes ? n : first + 64 * lanes;
    Floats product = same(1.0F);
    for (Index i = first; i < last; i += lanes) {
      const Floats truth = load_some(x + i, n - i);
      const Floats logit = load_some(y + i, n - i);
      const Floats e = Exponential(-magnitude(logit)).value();
      const Floats factor = 1.0F + e;
      const Floats share = inverse(factor);
      store_some(gradient + i, n - i, ((logit < 0.0F ? rounded(e * share) : share) - truth) * scale);
      sums += truth * logit - at_least(logit, 0.0F);
      product *= factor;
      // Places behind the row count for logit 0, factor 2: taken back.
      for (Index j = n - i; j < lanes; ++j) product[j] *= 0.5F;
    }
    for (Index j = 0; j < lanes; ++j) logs += __builtin_logf(product[j]);
  }
  float total = 0.0F;
  for (Index j = 0; j < lanes; ++j) total += sums[j];
  return total - logs;
}

void adam(const AdamStep& step, const float* gradients, float* parameters, float* first, float* second,
          Index n) {
  for (Index i = 0; i < n; i += lanes) {
    const Floats g = load_some(gradients + i, n - i);
    const Floats mean = step.keep_1 * load_some(first + i, n - i) + step.new_1 * g;
    const Floats square = step.keep_2 * load_some(second + i, n - i) + step.new_2 * (g * g);
    const Floats divisor = square_root(square) * step.root + step.epsilon;
    store_some(first + i, n - i, mean);
    store_some(second + i, n - i, square);
    store_some(parameters + i, n - i, load_some(parameters + i, n - i) - step.rate * mean * inverse(divisor));
  }
}

} // namespace

} // namespace lacuna
