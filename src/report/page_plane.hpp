#pragma once

#include <vector>

#include "pipeline/row_sample.hpp"
#include "report/page.hpp"
#include "report/page_subject.hpp"

namespace lacuna {

/// Where drawn rows lie on the page.
struct PlanePoints {
  std::vector<double> x;
  std::vector<double> y;
};

/// The plane of a subject: two columns or two features as they are, or the first two principal components of
/// the features.
struct PagePlane {
  ReportPlane plane;
  bool is_columns = false;  ///< x and y are the table's two columns
  bool is_features = false; ///< x and y are the two features
  PlanePoints test;
  PlanePoints train;
};
PagePlane make_plane(const PageInput& input, const RowSample::Drawn& test, const RowSample::Drawn* train);

/// The answers of a method over the plane.
ReportField make_field(const ReportPlane& plane, const PageMethod& method, Index n_classes);

} // namespace lacuna
