#include "math/symmetric_eigen.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include <Eigen/Eigenvalues>

#include "core/interruption.hpp"

namespace lacuna {

namespace {

/// From this size on a matrix takes so long that work on it looks whether it is to stop; Eigen's own solver
/// cannot.
constexpr Index large_problem = 1024;

struct Eigenpairs {
  Eigen::VectorXd values;
  Eigen::MatrixXd vectors; ///< columns
};

/// A symmetric matrix as Q T Q^T, T with a diagonal and one beside it. Q is kept as reflections: their
/// directions below that second diagonal, their factors beside them.
struct Tridiagonal {
  Eigen::MatrixXd reflections;
  Eigen::VectorXd factors, diagonal, beside;
};

/// Of the lower triangle.
Tridiagonal tridiagonal_form(Eigen::MatrixXd a) {
  const Index n = a.rows();
  Eigen::VectorXd factors(n - 1);
  for (Index i = 0; i < n - 1; ++i) {
    stop_if_asked();
    const Index rest = n - 1 - i;
    auto column = a.col(i).tail(rest);
    double factor = 0.0;
    double length = 0.0;
    column.makeHouseholderInPlace(factor, length);
    Eigen::VectorXd direction = column;
    direction[0] = 1.0;
    auto corner = a.bottomRightCorner(rest, rest).selfadjointView<Eigen::Lower>();
    Eigen::VectorXd product = factor * (corner * direction);
    product -= 0.5 * factor * product.dot(direction) * direction;
    corner.rankUpdate(direction, product, -1.0);
    column[0] = length;
    factors[i] = factor;
  }
  Eigen::VectorXd diagonal = a.diagonal();
  Eigen::VectorXd beside = a.diagonal<-1>();
  return {std::move(a), std::move(factors), std::move(diagonal), std::move(beside)};
}

/// The matrix Q, piece by piece.
Eigen::MatrixXd orthogonal_factor(const Tridiagonal& form) {
  constexpr Index reflections_at_once = 64;
  constexpr Index columns_at_once = 512;
  const Index n = form.reflections.rows();
  Eigen::MatrixXd q = Eigen::MatrixXd::Identity(n, n);
  for (Index end = n - 1; end > 0;) {
    const Index first = std::max<Index>(0, end - reflections_at_once);
    const Index rest = n - 1 - first; // what these reflections touch
    const auto directions = form.reflections.block(first + 1, first, rest, end - first);
    const auto sequence = Eigen::householderSequence(directions, form.factors.segment(first, end - first));
    for (Index j = first + 1; j < n; j += columns_at_once) {
      stop_if_asked();
      auto piece = q.block(first + 1, j, rest, std::min(columns_at_once, n - j));
      piece.applyOnTheLeft(sequence);
    }
    end = first;
  }
  return q;
}

/// By implicit QR steps; nothing when they do not come to an end.
Eigenpairs solve_in_steps(const Eigen::MatrixXd& matrix) {
  constexpr Index max_steps_per_value = 30;
  const Index n = matrix.rows();
  const Eigen::MatrixXd lower = matrix.triangularView<Eigen::Lower>();
  if (!lower.allFinite()) return {};
  const double largest = lower.cwiseAbs().maxCoeff();
  const double scale = largest > 0.0 ? largest : 1.0;
  Tridiagonal form = tridiagonal_form(lower / scale);
  Eigenpairs result{form.diagonal, orthogonal_factor(form)};
  Eigen::VectorXd& values = result.values;
  Eigen::VectorXd& beside = form.beside;
  Index n_steps = 0;
  for (Index end = n - 1; end > 0;) {
    stop_if_asked();
    const auto is_split_at = [&](Index i) {
      constexpr double epsilon = std::numeric_limits<double>::epsilon();
      return std::abs(beside[i]) <= epsilon * (std::abs(values[i]) + std::abs(values[i + 1])) ||
             std::abs(beside[i]) < std::numeric_limits<double>::min();
    };
    if (is_split_at(end - 1)) {
      beside[--end] = 0.0;
      continue;
    }
    if (++n_steps > max_steps_per_value * n) return {};
    Index start = end - 1;
    while (start > 0 && !is_split_at(start - 1)) --start;
    if (start > 0) beside[start - 1] = 0.0;
    Eigen::internal::tridiagonal_qr_step<Eigen::ColMajor>(values.data(), beside.data(), start, end,
                                                          result.vectors.data(), n);
  }
  values *= scale;
  return result;
}

/// By rising values, one vector per row.
SymmetricEigen sorted(const Eigenpairs& pairs) {
  const Index n = pairs.values.size();
  std::vector<Index> order(static_cast<std::size_t>(n));
  for (Index i = 0; i < n; ++i) order[static_cast<std::size_t>(i)] = i;
  std::ranges::stable_sort(order, {}, [&](Index i) { return pairs.values[i]; });
  SymmetricEigen result{{}, Matrix(n, n)};
  for (Index k = 0; k < n; ++k) {
    const Index from = order[static_cast<std::size_t>(k)];
    result.values.push_back(pairs.values[from]);
    Eigen::Map<Eigen::VectorXd>(result.vectors.row(k), n) = pairs.vectors.col(from);
  }
  return result;
}

Eigenpairs solve(const Eigen::MatrixXd& matrix) {
  if (matrix.rows() >= large_problem) return solve_in_steps(matrix);
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(matrix);
  if (solver.info() != Eigen::Success) return {};
  return {solver.eigenvalues(), solver.eigenvectors()};
}

} // namespace

SymmetricEigen symmetric_eigen(std::span<const double> a, Index n) {
  const Eigenpairs pairs = solve(Eigen::Map<const Eigen::MatrixXd>(a.data(), n, n));
  if (pairs.values.size() == 0 || !pairs.values.allFinite()) return {};
  return sorted(pairs);
}

} // namespace lacuna
