#include "math/cholesky.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include <Eigen/Cholesky>

#include "core/interruption.hpp"
#include "lacuna/core/errors.hpp"
#include "math/symmetric_eigen.hpp"

namespace lacuna {

namespace {

using RowMatrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

/// From this size on a matrix takes so long that work on it looks whether it is to stop.
constexpr Index large_matrix = 1024;
constexpr Index block_size = 128; // Eigen's own for its factorisation
constexpr Index strip_size =
    480; // a multiple of the rows that Eigen's kernels take at once, so that no bit differs

/// Takes below * below^T from the lower triangle, strip by strip.
template <class Triangle, class Below>
void subtract_square(Triangle&& triangle, const Below& below) {
  const Index n = below.rows();
  for (Index first = 0; first < n; first += strip_size) {
    stop_if_asked();
    const Index size = std::min(strip_size, n - first);
    const auto strip = below.middleRows(first, size);
    triangle.block(first, 0, size, first).noalias() -= strip * below.topRows(first).transpose();
    triangle.block(first, first, size, size).template selfadjointView<Eigen::Lower>().rankUpdate(strip, -1.0);
  }
}

/// Replaces the lower triangle by its Cholesky factor: block by block as Eigen does it, with the same bits.
/// Returns false when the matrix is not positive definite.
bool factor_in_blocks(RowMatrix& a) {
  const Index n = a.rows();
  for (Index first = 0; first < n; first += block_size) {
    stop_if_asked();
    const Index size = std::min(block_size, n - first);
    const Index rest = n - first - size;
    auto corner = a.block(first, first, size, size);
    if (Eigen::internal::llt_inplace<double, Eigen::Lower>::unblocked(corner) >= 0) return false;
    if (rest == 0) break;
    auto below = a.block(first + size, first, rest, size);
    corner.adjoint().triangularView<Eigen::Upper>().solveInPlace<Eigen::OnTheRight>(below);
    subtract_square(a.bottomRightCorner(rest, rest), below);
  }
  return a.diagonal().allFinite();
}

/// Replaces the lower triangle by the Cholesky factor, zeros above; false when there is none.
bool factor(RowMatrix& a) {
  if (a.rows() >= large_matrix) {
    if (!factor_in_blocks(a)) return false;
    a.triangularView<Eigen::StrictlyUpper>().setZero();
    return true;
  }
  const Eigen::LLT<RowMatrix, Eigen::Lower> found(a);
  if (found.info() != Eigen::Success || !found.matrixLLT().diagonal().allFinite()) return false;
  a = found.matrixL();
  return true;
}

/// The inverse by columns. The zeros above the diagonal take no time, which for a large matrix is two thirds.
void invert_in_blocks(Eigen::Map<RowMatrix>& l) {
  const Index n = l.rows();
  RowMatrix inverse = RowMatrix::Zero(n, n);
  for (Index first = 0; first < n; first += block_size) {
    stop_if_asked();
    const Index size = std::min(block_size, n - first);
    const Index rest = n - first;
    RowMatrix columns = RowMatrix::Identity(rest, size);
    l.block(first, first, rest, rest).triangularView<Eigen::Lower>().solveInPlace(columns);
    inverse.block(first, first, rest, size) = columns;
  }
  l = inverse;
}

} // namespace

double robust_cholesky(std::span<double> a, Index n) {
  Eigen::Map<RowMatrix> matrix(a.data(), n, n);
  const double mean_diagonal = matrix.diagonal().mean();
  if (!std::isfinite(mean_diagonal) || mean_diagonal <= 0.0)
    throw Error(ErrorKind::internal, "a covariance matrix has a diagonal that is not positive and finite");
  const RowMatrix original = matrix;
  double jitter = 0.0;
  for (double rung = 1e-14; rung < 1.0; rung *= 10.0) {
    RowMatrix raised = original + jitter * RowMatrix::Identity(n, n);
    if (factor(raised)) {
      matrix = raised;
      return jitter;
    }
    jitter = rung * mean_diagonal;
  }
  throw Error(ErrorKind::internal, "a covariance matrix could not be made positive definite");
}

void raise_eigenvalues(std::span<double> a, Index n, double floor) {
  Eigen::Map<RowMatrix> matrix(a.data(), n, n);
  RowMatrix above = matrix - floor * RowMatrix::Identity(n, n);
  if (factor(above)) return; // the usual case, at a fraction of the cost
  const auto [values, vectors] = symmetric_eigen(a, n);
  if (values.empty())
    throw Error(ErrorKind::data,
                "the eigenvalues of a covariance matrix cannot be found: the rows hold something else "
                "than numbers of a usual size, or changed while they were fitted");
  matrix.setZero();
  for (Index k = 0; k < n; ++k) {
    if (n >= large_matrix) stop_if_asked();
    for (Index i = 0; i < n; ++i)
      for (Index j = 0; j < n; ++j)
        matrix(i, j) += std::max(values[static_cast<std::size_t>(k)], floor) * vectors(k, i) * vectors(k, j);
  }
}

void invert_lower(std::span<double> l, Index n) {
  Eigen::Map<RowMatrix> matrix(l.data(), n, n);
  if (n >= large_matrix) {
    invert_in_blocks(matrix);
    return;
  }
  const RowMatrix inverse = matrix.triangularView<Eigen::Lower>().solve(RowMatrix::Identity(n, n));
  matrix = inverse.triangularView<Eigen::Lower>();
}

// Householder reflections by hand: for the few features of most tables a general QR spends its time on
// everything but arithmetic, and a fit with gaps calls this for every pattern and component in each pass.
void reorder_factor(std::span<double> a, Index n, std::span<const Index> order) {
  const auto at = [](Index i) { return static_cast<std::size_t>(i); };
  // A QR factor is upper triangular; with rows and columns in reverse it is lower. Columns lie side by side.
  std::vector<double> columns(at(n * n));
  for (Index j = 0; j < n; ++j)
    for (Index i = 0; i < n; ++i) columns[at((n - 1 - j) * n + i)] = a[at(i * n + order[at(j)])];
  std::ranges::fill(a, 0.0);
  for (Index k = 0; k < n; ++k) {
    if (n >= large_matrix) stop_if_asked();
    double* const v = columns.data() + k * n; // becomes the reflection's direction, from entry k on
    double below = 0.0;
    for (Index i = k + 1; i < n; ++i) below += v[i] * v[i];
    const double length = std::sqrt(v[k] * v[k] + below);
    const double diagonal = v[k] > 0.0 ? -length : length; // away from v[k]: no cancellation
    v[k] -= diagonal;
    const double square = v[k] * v[k] + below;
    const double sign = diagonal < 0.0 ? -1.0 : 1.0;
    a[at((n - 1 - k) * n + n - 1 - k)] = length;
    for (Index j = k + 1; j < n; ++j) {
      double* const x = columns.data() + j * n;
      double product = 0.0;
      for (Index i = k; i < n; ++i) product += v[i] * x[i];
      const double step = square > 0.0 ? 2.0 * product / square : 0.0;
      for (Index i = k; i < n; ++i) x[i] -= step * v[i];
      a[at((n - 1 - k) * n + n - 1 - j)] = sign * x[k];
    }
  }
}

double log_determinant(std::span<const double> l, Index n) {
  double sum = 0.0;
  for (Index i = 0; i < n; ++i) sum += std::log(l[static_cast<std::size_t>(i * n + i)]);
  return 2.0 * sum;
}

} // namespace lacuna
