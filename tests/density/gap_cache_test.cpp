// What a mixture looks like to rows with gaps is remembered, but only so much of it.

#include <gtest/gtest.h>

#include "density/gap_cache.hpp"

namespace lacuna {
namespace {

/// Student-t components of eight features, all alike: with one feature missing each takes 17 numbers, seven
/// for the mean, seven for the scales and three for the constants.
MixtureTerms students(Index n_components) {
  const auto n = static_cast<std::size_t>(n_components);
  MixtureTerms terms;
  terms.shape = MixtureTerms::Shape::student;
  terms.is_diagonal = true;
  terms.mean = Matrix(n_components, 8);
  terms.whitener = Matrix(n_components, 8);
  for (Index k = 0; k < n_components; ++k)
    for (Index j = 0; j < 8; ++j) terms.whitener(k, j) = 1.0 + static_cast<double>(j);
  terms.constant.assign(n, 0.0);
  terms.power.assign(n, 10.0);
  terms.factor.assign(n, 1.0);
  return terms;
}

GapPattern without(Index missing) {
  GapPattern pattern{.present = {}, .missing = {missing}};
  for (Index j = 0; j < 8; ++j)
    if (j != missing) pattern.present.push_back(j);
  return pattern;
}

/// How many of the eight patterns of one gap a cache still has when it was asked for all of them.
int n_kept(const MixtureTerms& terms) {
  const GapCache cache;
  std::vector<std::shared_ptr<const MixtureTerms>> first;
  for (Index j = 0; j < 8; ++j) first.push_back(cache.get(terms, without(j)));
  int n = 0;
  for (Index j = 0; j < 8; ++j) {
    const auto again = cache.get(terms, without(j));
    const auto& before = first[static_cast<std::size_t>(j)];
    n += again == before ? 1 : 0;
    EXPECT_EQ(again->constant, before->constant);
    EXPECT_EQ(again->whitener.values()[0], j == 0 ? 2.0 : 1.0);
  }
  return n;
}

TEST(GapCache, HoldsFourMegabytes) {
  EXPECT_EQ(n_kept(students(1)), 8);
  EXPECT_EQ(n_kept(students(3800)), 8);  // 8 x 17 x 8 x 3800 is just below 4 x 1024 x 1024 bytes
  EXPECT_EQ(n_kept(students(10000)), 3); // four would take 4 x 17 x 8 x 10000
  EXPECT_EQ(n_kept(students(31000)), 0);
}

} // namespace
} // namespace lacuna
