#include "report/page_plane.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "lacuna/core/random.hpp"

namespace lacuna {
namespace {

/// Two clusters that three numbers tell together and a flag besides, with a column in units of `scale`.
RowSample::Drawn clusters(double scale) {
  RowSample::Drawn rows;
  rows.features = Matrix(400, 5);
  for (Index i = 0; i < 400; ++i) {
    RandomStream random(3, RandomPurpose::simulation, static_cast<std::uint64_t>(i));
    const double side = i % 2 == 0 ? -1.0 : 1.0;
    for (Index j = 0; j < 3; ++j) rows.features(i, j) = side + 0.3 * random.uniform();
    rows.features(i, 3) = scale * random.uniform();
    rows.features(i, 4) = side > 0.0 ? 1.0 : 0.0;
  }
  return rows;
}

PageInput input_of() {
  PageInput input;
  input.column_names = input.feature_names = {"a", "b", "c", "money", "flag"};
  input.threads = 1;
  return input;
}

/// How far the two clusters lie apart on the plane, in units of its range.
double distance(const PagePlane& plane) {
  double mean[2][2]{};
  for (std::size_t i = 0; i < 400; ++i) {
    mean[i % 2][0] += plane.test.x[i] / 200.0;
    mean[i % 2][1] += plane.test.y[i] / 200.0;
  }
  return std::hypot((mean[0][0] - mean[1][0]) / (plane.plane.x_high - plane.plane.x_low),
                    (mean[0][1] - mean[1][1]) / (plane.plane.y_high - plane.plane.y_low));
}

TEST(PagePlane, UnitsOfAColumnDoNotMatter) {
  const PageInput input = input_of();
  const PagePlane small = make_plane(input, clusters(1.0), nullptr);
  const PagePlane large = make_plane(input, clusters(1e6), nullptr);
  EXPECT_GT(distance(small), 0.5);
  EXPECT_LT(large.plane.x_high - large.plane.x_low, 20.0);
  EXPECT_NEAR(distance(large), distance(small), 1e-6);
  EXPECT_NE(small.plane.note.find("5 standardised features"), std::string::npos);
}

TEST(PagePlane, WhatAMapMadeKeepsItsUnits) {
  PageInput input = input_of();
  input.feature_names = {"z1", "z2", "z3", "z4", "z5"};
  const PagePlane plane = make_plane(input, clusters(1e6), nullptr);
  EXPECT_GT(plane.plane.x_high - plane.plane.x_low, 5e5);
  EXPECT_EQ(plane.plane.note, "The plane shows the first two principal components of the 5 features.");
}

TEST(PagePlane, TrainingRowsLieOnTheSamePlane) {
  const RowSample::Drawn rows = clusters(10.0);
  const PagePlane plane = make_plane(input_of(), rows, &rows);
  EXPECT_EQ(plane.test.x, plane.train.x);
  EXPECT_EQ(plane.test.y, plane.train.y);
}

TEST(PagePlane, ExtremeAndConstantColumnsStayFinite) {
  RowSample::Drawn rows = clusters(1.0);
  for (Index i = 0; i < 400; ++i) {
    rows.features(i, 0) = i == 7 ? 1e300 : 0.5;
    rows.features(i, 1) = 4.0;
  }
  const PagePlane plane = make_plane(input_of(), rows, nullptr);
  for (const double x : plane.test.x) EXPECT_TRUE(std::isfinite(x));
}

} // namespace
} // namespace lacuna
