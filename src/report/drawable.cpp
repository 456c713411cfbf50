#include "report/drawable.hpp"

#include <algorithm>
#include <cmath>

namespace lacuna {

namespace {

Matrix with_flags(const Matrix& rows, const CodedCategories& categories) {
  if (categories.empty()) return rows;
  Index n_columns = 0;
  for (const auto& names : categories) n_columns += names.empty() ? 1 : static_cast<Index>(names.size());
  Matrix result(rows.n_rows(), n_columns);
  for (Index i = 0; i < rows.n_rows(); ++i) {
    double* to = result.row(i);
    for (Index j = 0; j < rows.n_cols(); ++j) {
      const auto n = static_cast<Index>(categories[static_cast<std::size_t>(j)].size());
      if (n == 0) *to++ = rows(i, j);
      for (Index k = 0; k < n; ++k) *to++ = rows(i, j) == static_cast<double>(k) ? 1.0 : 0.0;
    }
  }
  return result;
}

void fill_gaps(Matrix& rows) {
  for (Index j = 0; j < rows.n_cols(); ++j) {
    double sum = 0.0;
    Index n = 0;
    for (Index i = 0; i < rows.n_rows(); ++i) {
      if (std::isnan(rows(i, j))) continue;
      sum += rows(i, j);
      ++n;
    }
    const double mean = n > 0 ? sum / static_cast<double>(n) : 0.0;
    for (Index i = 0; i < rows.n_rows(); ++i)
      if (std::isnan(rows(i, j))) rows(i, j) = mean;
  }
}

} // namespace

CodedCategories coded_categories(const TableSchema& schema) {
  if (schema.levels().empty()) return {};
  CodedCategories result;
  for (const TableColumn& column : schema.columns) {
    if (column.is_coded)
      result.push_back(column.categories);
    else
      result.insert(result.end(), column.is_categorical ? column.categories.size() : 1, {});
  }
  return result;
}

std::vector<std::string> flag_names(const std::vector<std::string>& names,
                                    const CodedCategories& categories) {
  if (categories.empty()) return names;
  std::vector<std::string> result;
  for (std::size_t j = 0; j < names.size(); ++j) {
    if (categories[j].empty()) result.push_back(names[j]);
    for (const std::string& category : categories[j]) result.push_back(names[j] + "=" + category);
  }
  return result;
}

void make_drawable(RowSample::Drawn& rows, const CodedCategories& categories) {
  for (Matrix* part : {&rows.columns, &rows.features}) {
    if (part->n_cols() == 0) continue;
    *part = with_flags(*part, categories);
    fill_gaps(*part);
  }
}

} // namespace lacuna
