// What the cores can do at best, all of THREADS threads together: `float` or `double`, multiply-adds on
// registers in GFLOP/s; `copy`, reading and writing memory in GB/s.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

namespace {

template <typename Vector, typename Number>
[[gnu::always_inline]] inline double multiply_adds(long n_rounds) {
  constexpr int n_sums = 12; // more than a processor has under way at once
  Vector sums[n_sums];
#pragma GCC unroll 12
  for (int i = 0; i < n_sums; ++i) sums[i] = Vector{};
  Vector factor = Vector{} + Number(0.999);
  for (long round = 0; round < n_rounds; ++round) {
#pragma GCC unroll 12
    for (int i = 0; i < n_sums; ++i) {
      sums[i] = sums[i] * factor + factor;
      asm volatile("" : "+v"(sums[i])); // keeps the sum in its register, and the loop
    }
  }
#pragma GCC unroll 12
  for (int i = 0; i < n_sums; ++i) asm volatile("" : : "v"(sums[i]));
  return 2.0 * static_cast<double>(n_rounds) * n_sums * (sizeof(Vector) / sizeof(Number));
}

template <typename Number, int Bytes>
struct Wide {
  typedef Number Vector __attribute__((vector_size(Bytes)));
};

template <typename Number>
[[gnu::target("avx512f")]] double wide(long n) {
  return multiply_adds<typename Wide<Number, 64>::Vector, Number>(n);
}
template <typename Number>
[[gnu::target("avx2,fma")]] double middle(long n) {
  return multiply_adds<typename Wide<Number, 32>::Vector, Number>(n);
}
template <typename Number>
double narrow(long n) {
  return multiply_adds<typename Wide<Number, 16>::Vector, Number>(n);
}

template <typename Number>
double compute() {
  constexpr long n_rounds = 1'000'000;
  if (__builtin_cpu_supports("avx512f")) return wide<Number>(n_rounds);
  return __builtin_cpu_supports("fma") ? middle<Number>(n_rounds) : narrow<Number>(n_rounds);
}

/// More than a cache holds, of this thread's own.
double copy() {
  constexpr std::size_t bytes = std::size_t{64} << 20U;
  constexpr int n_rounds = 40; // the first one fetches the pages
  thread_local const std::vector<char> from(bytes, 1);
  thread_local std::vector<char> to(bytes);
  for (int round = 0; round < n_rounds; ++round) {
    std::memcpy(to.data(), from.data(), bytes);
    asm volatile("" : : "r"(to.data()) : "memory");
  }
  return 2.0 * n_rounds * static_cast<double>(bytes);
}

} // namespace

int main(int argc, char** argv) {
  const int n_threads = argc > 1 ? std::atoi(argv[1]) : 1;
  const std::string what = argc > 2 ? argv[2] : "float";
  __builtin_cpu_init();
  const auto work = what == "copy" ? copy : what == "double" ? compute<double> : compute<float>;
  double best = 0.0;
  for (int repeat = 0; repeat < (what == "copy" ? 10 : 100); ++repeat) {
    const auto begin = std::chrono::steady_clock::now();
    double done = 0.0;
    {
      std::vector<std::jthread> others;
      for (int i = 1; i < n_threads; ++i) others.emplace_back([&] { work(); });
      done = work() * n_threads;
    }
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    best = best > done / seconds ? best : done / seconds;
  }
  std::printf("%.1f\n", best * 1e-9);
}
