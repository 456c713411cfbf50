// Rows that lie in foreign memory may change while a fit reads them. Its answer may then be wrong, or an
// error; it ends, and nothing else is touched.
#include <atomic>
#include <chrono>
#include <limits>
#include <thread>

#include <gtest/gtest.h>

#include "lacuna/core/random.hpp"
#include "lacuna/pipeline/fit.hpp"

namespace lacuna {
namespace {

using Clock = std::chrono::steady_clock;

/// Two blobs of numbers, one of them with a spike, and a column of categories where `has_levels`.
Dataset changing_blobs(bool has_levels) {
  constexpr Index n_rows = 300;
  constexpr Index n_levels = 12;
  Dataset data;
  data.class_names = {"left", "right"};
  data.feature_names = {"a", "b", "c"};
  data.features = Matrix(n_rows, 3);
  for (Index i = 0; i < n_rows; ++i) {
    RandomStream random(3, RandomPurpose::simulation, static_cast<std::uint64_t>(i));
    const int y = static_cast<int>(i % 2);
    data.features(i, 0) = 3.0 * y + random.normal();
    data.features(i, 1) = random.uniform() < 0.3 ? 0.0 : random.normal();
    data.features(i, 2) = has_levels ? std::floor(n_levels * random.uniform()) : random.normal();
    data.labels.push_back(i % 3 == 0 ? y : missing_label);
  }
  if (has_levels) data.levels = {0, 0, n_levels};
  return data;
}

/// While it lives, some cells are overwritten after a delay.
class Meddler {
public:
  Meddler(Dataset& data, std::chrono::microseconds delay, std::uint64_t seed)
      : values_(data.features.values()), saved_(values_.begin(), values_.end()),
        thread_([this, delay, seed] { run(delay, seed); }) {}
  ~Meddler() {
    is_over_ = true;
    thread_.join();
    std::copy(saved_.begin(), saved_.end(), values_.begin());
  }
  Meddler(const Meddler&) = delete;
  Meddler& operator=(const Meddler&) = delete;

private:
  void run(std::chrono::microseconds delay, std::uint64_t seed) {
    const auto start = Clock::now();
    while (!is_over_ && Clock::now() - start < delay) std::this_thread::yield();
    RandomStream random(seed, RandomPurpose::simulation);
    constexpr double infinity = std::numeric_limits<double>::infinity();
    constexpr double bad[] = {
        std::numeric_limits<double>::quiet_NaN(), infinity, -infinity, 1e300, -7.0, 1e9};
    while (!is_over_) {
      const auto cell = static_cast<std::size_t>(random.uniform() * static_cast<double>(values_.size()));
      const auto kind = static_cast<std::size_t>(random.uniform() * 8.0);
      std::atomic_ref<double>(values_[cell])
          .store(kind < 6 ? bad[kind] : saved_[cell], std::memory_order_relaxed);
      std::this_thread::yield();
    }
  }

  std::span<double> values_;
  std::vector<double> saved_;
  std::atomic<bool> is_over_ = false;
  std::thread thread_;
};

/// Fits again and again while rows change, each time from a later moment on.
void fit_meddled(Dataset data, const FitOptions& options, std::chrono::milliseconds budget) {
  const auto start = Clock::now();
  static_cast<void>(fit(data, options)); // good rows give a model
  const auto whole = std::chrono::duration_cast<std::chrono::microseconds>(Clock::now() - start);
  for (int attempt = 0; Clock::now() - start < budget; ++attempt) {
    const Meddler meddler(data, whole * (attempt % 16) / 16, static_cast<std::uint64_t>(attempt));
    try {
      static_cast<void>(fit(data, options));
    } catch (const std::exception& error) {
      EXPECT_GT(std::string(error.what()).size(), 10U);
    }
  }
}

// The thread sanitizer would be right about the race, which is the point here.
#ifndef __SANITIZE_THREAD__
TEST(ThreadChangesRows, OfDensities) {
  for (const std::string family : {"gmm", "vb-gmm", "kde", "dp-gmm"})
    for (const bool has_levels : {false, true}) {
      if (has_levels && family != "vb-gmm") continue;
      SCOPED_TRACE(family);
      FitOptions options;
      options.density = DensityOptions(family);
      options.conditional = ConditionalForm::densities;
      options.draws = Index{1};
      options.threads = 2;
      fit_meddled(changing_blobs(has_levels), options, std::chrono::milliseconds(700));
    }
}

TEST(ThreadChangesRows, OfAStack) {
  FitOptions options;
  options.density = VbMixtureOptions{.components = 2};
  options.threads = 2;
  for (const bool has_levels : {false, true})
    fit_meddled(changing_blobs(has_levels), options, std::chrono::milliseconds(2500));
}
#endif

} // namespace
} // namespace lacuna
