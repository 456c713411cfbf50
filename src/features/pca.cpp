#include "features/pca.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include <Eigen/Core>
#include <fmt/format.h>

#include "core/archive_checks.hpp"
#include "core/interruption.hpp"
#include "features/numbered_names.hpp"
#include "features/row_tasks.hpp"
#include "lacuna/core/errors.hpp"
#include "math/moments.hpp"
#include "math/symmetric_eigen.hpp"

namespace lacuna {

namespace {

using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using RowsMap = Eigen::Map<const RowMajor>;

Eigen::Map<const Eigen::VectorXd> as_vector(const std::vector<double>& values) {
  return {values.data(), static_cast<Index>(values.size())};
}

// Lower triangle of the covariance (divided by n). Few blocks, because each has a matrix of its own.
Eigen::MatrixXd covariance(MatrixView rows, const std::vector<double>& means, int threads) {
  const Index d = rows.n_cols;
  const RowBlocks blocks(rows.n_rows, {.min_rows = 4096, .max_blocks = 8});
  std::vector<Eigen::MatrixXd> parts(static_cast<std::size_t>(blocks.n_blocks));
  parallel_for(blocks.n_blocks, threads, [&](Index b) {
    Eigen::MatrixXd& part = parts[static_cast<std::size_t>(b)];
    part = Eigen::MatrixXd::Zero(d, d);
    const Index rows_at_once = d < 1024 ? 512 : 64; // less than a second also for 5,000 columns
    for (Index i = blocks.first(b); i < blocks.first(b + 1); i += rows_at_once) {
      stop_if_asked();
      const Index count = std::min(rows_at_once, blocks.first(b + 1) - i);
      const Eigen::MatrixXd centred = RowsMap(rows.row(i), count, d).transpose().colwise() - as_vector(means);
      part.selfadjointView<Eigen::Lower>().rankUpdate(centred);
    }
  });
  for (std::size_t b = 1; b < parts.size(); ++b) parts[0] += parts[b];
  return parts[0] / static_cast<double>(rows.n_rows);
}

Index components_for_share(const std::vector<double>& falling_variances, double share) {
  const double wanted = share * as_vector(falling_variances).sum();
  double explained = 0.0;
  std::size_t n = 0;
  while (n < falling_variances.size() && (n == 0 || explained < wanted)) explained += falling_variances[n++];
  return static_cast<Index>(n);
}

struct Components {
  std::vector<double> variances; ///< falling
  RowMajor directions;           ///< a row each
};

/// Falling, none below 0.
std::vector<double> found_variances(const SymmetricEigen& found) {
  if (found.values.empty())
    throw Error(ErrorKind::data,
                "features: pca: the eigenvalues of the covariance cannot be found; scale the "
                "features first: standardize,pca");
  std::vector<double> variances(found.values.rbegin(), found.values.rend());
  for (double& variance : variances) variance = std::max(variance, 0.0);
  return variances;
}

Components components_of_columns(MatrixView rows, const std::vector<double>& means, Index n_outputs,
                                 double share, int threads) {
  const Index d = rows.n_cols;
  const Eigen::MatrixXd products = covariance(rows, means, threads);
  const SymmetricEigen found =
      symmetric_eigen({products.data(), static_cast<std::size_t>(products.size())}, d);
  Components result{found_variances(found), {}};
  const Index n = n_outputs > 0 ? n_outputs : components_for_share(result.variances, share);
  result.variances.resize(static_cast<std::size_t>(n));
  result.directions = RowsMap(found.vectors.row(0), d, d).bottomRows(n).colwise().reverse();
  return result;
}

/// Fewer rows than columns: with C the centred rows, C C' / n has the same variances as C' C / n, and
/// u' C / sqrt(n variance) is the direction of its eigenvector u. Nothing where a variance that is asked for
/// is so small that digits of its direction are lost.
std::optional<Components> components_of_few_rows(MatrixView rows, const std::vector<double>& means,
                                                 Index n_outputs, double share) {
  constexpr double least_variance = 1e-6; // of the largest
  const Index n_rows = rows.n_rows;
  const RowMajor centred = RowsMap(rows.row(0), n_rows, rows.n_cols).rowwise() - as_vector(means).transpose();
  Eigen::MatrixXd products = Eigen::MatrixXd::Zero(n_rows, n_rows);
  constexpr Index columns_at_once = 64;
  for (Index j = 0; j < rows.n_cols; j += columns_at_once) {
    stop_if_asked();
    const auto part = centred.middleCols(j, std::min(columns_at_once, rows.n_cols - j));
    products.selfadjointView<Eigen::Lower>().rankUpdate(part, 1.0 / static_cast<double>(n_rows));
  }
  const SymmetricEigen found =
      symmetric_eigen({products.data(), static_cast<std::size_t>(products.size())}, n_rows);
  Components result{found_variances(found), {}};
  const Index n = n_outputs > 0 ? n_outputs : components_for_share(result.variances, share);
  if (n > n_rows ||
      !(result.variances[static_cast<std::size_t>(n - 1)] > least_variance * result.variances[0]))
    return std::nullopt;
  result.variances.resize(static_cast<std::size_t>(n));
  result.directions =
      RowsMap(found.vectors.row(0), n_rows, n_rows).bottomRows(n).colwise().reverse() * centred;
  result.directions.rowwise().normalize();
  return result;
}

} // namespace

std::shared_ptr<const Pca> Pca::fit(MatrixView rows, Index n_outputs, double share, int threads) {
  const Index d = rows.n_cols;
  if (n_outputs > d)
    throw Error(ErrorKind::data,
                fmt::format("features: pca:{} asks for more components than there are features ({}); ask for "
                            "at most {}, or for a share such as pca:0.95",
                            n_outputs, d, d));
  std::vector<double> means = row_moments(WeightedRows(rows)).mean;
  std::optional<Components> found;
  if (rows.n_rows < d) found = components_of_few_rows(rows, means, n_outputs, share);
  if (!found) found = components_of_columns(rows, means, n_outputs, share, threads);
  Matrix components(found->directions.rows(), d);
  for (Index k = 0; k < components.n_rows(); ++k) {
    const auto loadings = found->directions.row(k);
    const double largest = *std::ranges::max_element(loadings, {}, [](double x) { return std::abs(x); });
    for (Index j = 0; j < d; ++j) components(k, j) = std::copysign(1.0, largest) * loadings[j];
  }
  return std::make_shared<Pca>(std::move(means), std::move(components), std::move(found->variances));
}

std::vector<std::string> Pca::output_names(const std::vector<std::string>& /*input_names*/) const {
  return numbered_names("pc", n_outputs());
}

void Pca::apply(MatrixView rows, const ApplyOptions& how, Matrix& out) const {
  out = Matrix(rows.n_rows, n_outputs());
  const RowsMap components(components_.row(0), n_outputs(), n_inputs());
  for_row_tasks(rows.n_rows, how.threads, [&](Index first, Index count) {
    // Row by row, so that a row's bits do not depend on its neighbours in the block.
    Eigen::VectorXd centred(n_inputs());
    for (Index i = first; i < first + count; ++i) {
      centred = Eigen::Map<const Eigen::VectorXd>(rows.row(i), n_inputs()) - as_vector(means_);
      Eigen::Map<Eigen::VectorXd>(out.row(i), n_outputs()).noalias() = components * centred;
    }
  });
}

void Pca::save_parts(Archive& archive, const std::string& prefix) const {
  archive.put(prefix + "means", means_);
  archive.put(prefix + "components", components_);
  archive.put(prefix + "variances", variances_);
}

std::shared_ptr<const Pca> Pca::load(const Archive& archive, const std::string& prefix) {
  const Index d = stored_length(archive, prefix + "means");
  const Index n = stored_length(archive, prefix + "variances");
  std::vector<double> means = finite(archive.vector(prefix + "means", d), prefix + "means");
  std::vector<double> variances = finite(archive.vector(prefix + "variances", n), prefix + "variances");
  Matrix components = archive.matrix(prefix + "components", n, d);
  require_within(means, 1e150, prefix + "means");
  require_within(components.values(), 1.0 + 1e-6, prefix + "components"); // directions of length one
  return std::make_shared<Pca>(std::move(means), std::move(components), std::move(variances));
}

} // namespace lacuna
