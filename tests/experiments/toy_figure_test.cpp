#include "experiments/toy_figure.hpp"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

namespace lacuna {
namespace {

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t n = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + part.size())) ++n;
  return n;
}

ToyFigure small_figure() {
  ToyFigure figure;
  figure.title = "toy";
  figure.class_names = {"a", "b"};
  figure.points = {{0.25, 0.25, 0}, {0.5, 0.5, 1}, {0.75, 0.75, -1}, {0.1, 0.9, -1}};
  return figure;
}

TEST(ToyFigure, ShadesRunFromBlueOverWhiteToOrange) {
  ToyFigure figure = small_figure();
  figure.maps.push_back({"m", Matrix(1, 3, {1.0, 0.5, 0.0})});
  const std::string svg = toy_figure_svg(figure);
  EXPECT_EQ(count(svg, "<path fill=\"#2166ac\" d=\"M0 0h1v1h-1z\"/>"), 1U);
  EXPECT_EQ(count(svg, "<path fill=\"#ffffff\" d=\"M1 0h1v1h-1z\"/>"), 1U);
  EXPECT_EQ(count(svg, "<path fill=\"#e06008\" d=\"M2 0h1v1h-1z\"/>"), 1U);
}

TEST(ToyFigure, EqualNeighboursAreOneRectangle) {
  ToyFigure figure = small_figure();
  figure.maps.push_back({"m", Matrix(2, 3, {1, 1, 1, 0, 0, 1})});
  const std::string svg = toy_figure_svg(figure);
  EXPECT_EQ(count(svg, "M0 0h3v1h-3zM2 1h1v1h-1z"), 1U);
  EXPECT_EQ(count(svg, "M0 1h2v1h-2z"), 1U);
}

TEST(ToyFigure, EveryPointIsOneDotPerPanelThatShowsIt) {
  ToyFigure figure = small_figure();
  figure.maps.push_back({"m", Matrix(1, 1, {0.5})});
  // The data panel shows all four, the map panel the two labeled ones.
  EXPECT_EQ(count(toy_figure_svg(figure), "h0"), 6U);
}

TEST(ToyFigure, PointsOutsideTheRangeAndNonFiniteValuesAreHarmless) {
  ToyFigure figure = small_figure();
  const double nan = std::numeric_limits<double>::quiet_NaN();
  figure.points.push_back({7.0, 0.5, 0});
  figure.points.push_back({nan, 0.5, 0});
  figure.maps.push_back({"m", Matrix(1, 3, {nan, 7.0, -std::numeric_limits<double>::infinity()})});
  figure.maps.push_back({"empty", Matrix(0, 0)});
  const std::string svg = toy_figure_svg(figure);
  EXPECT_EQ(count(svg, "h0"), 8U); // 4 + 2 + 2
  EXPECT_EQ(count(svg, "nan"), 0U);
  EXPECT_EQ(count(svg, "inf"), 0U);
}

TEST(ToyFigure, NamesAreEscaped) {
  ToyFigure figure = small_figure();
  figure.title = "a < b & c";
  figure.class_names = {"<script>", "b"};
  const std::string svg = toy_figure_svg(figure);
  EXPECT_EQ(count(svg, "<script>"), 0U);
  EXPECT_NE(svg.find("a &lt; b &amp; c"), std::string::npos);
}

// The finest map that a smooth posterior can give: every row of the grid runs once through all shades.
TEST(ToyFigure, StaysSmall) {
  ToyFigure figure = small_figure();
  for (int i = 0; i < 1000; ++i)
    figure.points.push_back({0.5 + 0.4 * std::sin(i), 0.5 + 0.4 * std::cos(2 * i), i % 4 == 0 ? i % 2 : -1});
  Matrix smooth(90, 90);
  for (Index i = 0; i < 90; ++i)
    for (Index j = 0; j < 90; ++j) smooth(i, j) = static_cast<double>(j) / 89.0;
  figure.maps = {{"one", smooth}, {"two", smooth}};
  EXPECT_LT(toy_figure_svg(figure).size(), 150'000U);
}

} // namespace
} // namespace lacuna
