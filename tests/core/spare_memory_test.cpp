#include "core/spare_memory.hpp"

#include <cstdlib>
#include <limits>
#include <new>

#include <gtest/gtest.h>
#include <sys/resource.h>

namespace lacuna {
namespace {

constexpr std::size_t megabyte = std::size_t{1} << 20U;

TEST(SpareMemory, WhatNoProcessCanHaveIsRefused) {
  EXPECT_THROW(SpareMemory(std::numeric_limits<std::size_t>::max() / 2), std::bad_alloc);
  EXPECT_NO_THROW(SpareMemory{megabyte});
  EXPECT_NO_THROW(SpareMemory{0});
}

bool is_refused(std::size_t n_bytes) {
  try {
    const SpareMemory spare(n_bytes);
    return false;
  } catch (const std::bad_alloc&) {
    return true;
  }
}

/// Exits with 0 when two cannot be promised the same, and the second can when the first is gone.
[[noreturn]] void ask_twice_with_a_limit() {
  std::size_t largest = 0;
  const rlimit limit{1024 * megabyte, 1024 * megabyte};
  if (setrlimit(RLIMIT_AS, &limit) != 0) std::exit(2);
  while (!is_refused(largest + megabyte)) largest += megabyte;
  const std::size_t most_of_it = largest / 4 * 3;
  {
    const SpareMemory first(most_of_it);
    if (!is_refused(most_of_it)) std::exit(3);
  }
  std::exit(is_refused(most_of_it) ? 4 : 0);
}

TEST(SpareMemory, IsNotPromisedTwice) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "sanitizers reserve terabytes of addresses";
#endif
  EXPECT_EXIT(ask_twice_with_a_limit(), testing::ExitedWithCode(0), "");
}

} // namespace
} // namespace lacuna
