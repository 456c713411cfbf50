// What the cores can do at best: THREADS threads of multiply-adds on registers, prints GFLOP/s of all
// together.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <vector>

namespace {

template <typename Vector>
[[gnu::always_inline]] inline double multiply_adds(long n_rounds) {
  constexpr int n_sums = 12; // more than a processor has under way at once
  Vector sums[n_sums];
#pragma GCC unroll 12
  for (int i = 0; i < n_sums; ++i) sums[i] = Vector{};
  Vector factor = Vector{} + 0.999F;
  for (long round = 0; round < n_rounds; ++round) {
#pragma GCC unroll 12
    for (int i = 0; i < n_sums; ++i) {
      sums[i] = sums[i] * factor + factor;
      asm volatile("" : "+v"(sums[i])); // keeps the sum in its register, and the loop
    }
  }
#pragma GCC unroll 12
  for (int i = 0; i < n_sums; ++i) asm volatile("" : : "v"(sums[i]));
  return 2.0 * static_cast<double>(n_rounds) * n_sums * (sizeof(Vector) / sizeof(float));
}

typedef float V64 __attribute__((vector_size(64)));
typedef float V32 __attribute__((vector_size(32)));
typedef float V16 __attribute__((vector_size(16)));

[[gnu::target("avx512f")]] double wide(long n) {
  return multiply_adds<V64>(n);
}
[[gnu::target("avx2,fma")]] double middle(long n) {
  return multiply_adds<V32>(n);
}
double narrow(long n) {
  return multiply_adds<V16>(n);
}

} // namespace

int main(int argc, char** argv) {
  const int n_threads = argc > 1 ? std::atoi(argv[1]) : 1;
  __builtin_cpu_init();
  const auto work = __builtin_cpu_supports("avx512f") ? wide
                    : __builtin_cpu_supports("fma")   ? middle
                                                      : narrow;
  double best = 0.0;
  for (int repeat = 0; repeat < 100; ++repeat) {
    const auto begin = std::chrono::steady_clock::now();
    double operations = 0.0;
    {
      std::vector<std::jthread> others;
      for (int i = 1; i < n_threads; ++i) others.emplace_back([&] { work(1'000'000); });
      operations = work(1'000'000) * n_threads;
    }
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    best = best > operations / seconds ? best : operations / seconds;
  }
  std::printf("%.1f\n", best * 1e-9);
}
