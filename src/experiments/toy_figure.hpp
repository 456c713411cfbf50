#pragma once

#include <array>
#include <string>
#include <vector>

#include "lacuna/core/matrix.hpp"

namespace lacuna {

/// One row of two-dimensional data with two classes.
struct ToyFigurePoint {
  double x = 0.0;
  double y = 0.0;
  int label = -1; ///< class 0 or 1; missing_label for an unlabeled row
};

/// What one method believes over the plane: the probability of class 0 on a regular grid.
struct ToyFigureMap {
  std::string title;
  Matrix probability; ///< one row per grid line, lowest y first; the cells tile the whole range
};

/// A picture of two-dimensional data beside what methods make of it.
struct ToyFigure {
  std::string title;
  std::array<std::string, 2> class_names;
  double x_low = 0.0;
  double x_high = 1.0;
  double y_low = 0.0;
  double y_high = 1.0;
  std::vector<ToyFigurePoint> points;
  std::vector<ToyFigureMap> maps; ///< one panel each
};

/// One self-contained SVG: the data, then a panel per map, then the colour scale from sure of one class over
/// white, "does not know", to sure of the other.
std::string toy_figure_svg(const ToyFigure& figure);

} // namespace lacuna
