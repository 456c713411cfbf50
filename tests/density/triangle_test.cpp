#include "density/triangle.hpp"

#include <cmath>

#include <gtest/gtest.h>

namespace lacuna {
namespace {

// L = [2 0; 1 3], by hand.
TEST(Triangle, OperationsOnASmallMatrix) {
  const Triangle l{2.0, 1.0, 3.0};
  EXPECT_EQ(square(l, 2), (Triangle{4.0, 2.0, 10.0}));
  EXPECT_EQ(product(l, l, 2), (Triangle{4.0, 5.0, 9.0}));
  EXPECT_EQ(inverse(l, 2), (Triangle{0.5, -1.0 / 6.0, 1.0 / 3.0}));
  EXPECT_EQ(multiply(l, std::vector<double>{1.0, 2.0}), (std::vector<double>{2.0, 7.0}));
  EXPECT_EQ(squared_norm(l.data(), std::vector<double>{1.0, 2.0}), 53.0);
  EXPECT_EQ(sum_of_squares(l), 14.0);
  EXPECT_EQ(sum_of_squares({}), 0.0);
  EXPECT_EQ(trace(l, 2), 5.0);
  EXPECT_NEAR(log_diagonal(l.data(), 2), std::log(6.0), 1e-15);
  EXPECT_EQ(sandwich(l, {1.0, 0.0, 1.0}, 2), square(l, 2));
  Triangle a = square(l, 2);
  ASSERT_TRUE(cholesky(a, 2));
  for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(a[i], l[i], 1e-14);
  Triangle indefinite{1.0, 2.0, 1.0};
  EXPECT_FALSE(cholesky(indefinite, 2));
}

} // namespace
} // namespace lacuna
