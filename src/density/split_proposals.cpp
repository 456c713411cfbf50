#include "density/split_proposals.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>
#include <utility>

#include "core/index.hpp"
#include "density/row_block.hpp"

// Equation numbers refer to docs/math/vb-mixture.md.

namespace lacuna {

namespace {

/// The rows of a component, those that have it for their likeliest one.
struct Members {
  std::vector<Index> rows; ///< of the matrix
  std::vector<double> weights;
};

std::vector<Members> find_members(const WeightedRows& rows, const Frame& frame, const MixtureTerms& terms) {
  std::vector<Members> members(at(terms.n_components()));
  RowBlock block(frame, terms.n_components(), rows.size());
  for (Index first = 0; first < rows.size(); first += block.capacity()) {
    block.load(rows, first, std::min(block.capacity(), rows.size() - first));
    evaluate_terms(terms, block);
    for (Index b = 0; b < block.n_rows(); ++b) {
      const auto logit = [&](Index k) { return block.logits()[k * block.stride() + b]; };
      // A row with gaps has no logits here, and no place among clusters.
      if (!(rows.weight(first + b) > 0.0) || std::isnan(logit(0))) continue;
      Index best = 0;
      for (Index k = 1; k < terms.n_components(); ++k)
        if (logit(k) > logit(best)) best = k;
      members[at(best)].rows.push_back(rows.index(first + b));
      members[at(best)].weights.push_back(rows.weight(first + b));
    }
  }
  return members;
}

/// The members of component k as it sees them: with mean zero and no covariance, if it is a Gaussian.
Matrix whitened(const WeightedRows& rows, const Frame& frame, const MixtureTerms& terms, Index k) {
  const Index d = frame.n_features();
  Matrix result(rows.size(), d);
  std::vector<double> difference(at(d));
  for (Index i = 0; i < rows.size(); ++i) {
    for (Index j = 0; j < d; ++j)
      difference[at(j)] =
          (rows.row(i)[frame.columns[at(j)]] - frame.center[at(j)]) / frame.scale[at(j)] - terms.mean(k, j);
    const double* coefficient = terms.whitener.row(k);
    for (Index j = 0; j < d; ++j) {
      if (terms.is_diagonal) {
        result(i, j) = std::sqrt(coefficient[j]) * difference[at(j)];
        continue;
      }
      for (Index m = 0; m <= j; ++m) result(i, j) += *coefficient++ * difference[at(m)];
    }
  }
  return result;
}

/// Two clusters: which one each row belongs to, and the share of one feature's variance that lies between
/// them.
struct Cut {
  std::vector<int> side;
  double explained = 0.0;
};

/// Lloyd rounds from a cut across one axis (eq. 22).
Cut two_means(const Matrix& y, const std::vector<double>& weights, Index axis) {
  constexpr Index n_rounds = 10;
  const Index n = y.n_rows();
  const Index d = y.n_cols();
  Cut cut{std::vector<int>(at(n)), 0.0};
  for (Index i = 0; i < n; ++i) cut.side[at(i)] = y(i, axis) > 0.0 ? 1 : 0;
  for (Index round = 0; round < n_rounds; ++round) {
    Matrix mean(2, d);
    double weight[2] = {0.0, 0.0};
    for (Index i = 0; i < n; ++i) {
      const int side = cut.side[at(i)];
      weight[side] += weights[at(i)];
      for (Index j = 0; j < d; ++j) mean(side, j) += weights[at(i)] * y(i, j);
    }
    if (!(weight[0] > 0.0 && weight[1] > 0.0)) return {std::move(cut.side), 0.0};
    double distance = 0.0;
    std::vector<double> normal(at(d));
    double middle = 0.0;
    for (Index j = 0; j < d; ++j) {
      const double a = mean(0, j) / weight[0];
      const double b = mean(1, j) / weight[1];
      normal[at(j)] = b - a;
      middle += 0.5 * (b - a) * (a + b);
      distance += (b - a) * (b - a);
    }
    const double total = weight[0] + weight[1];
    cut.explained = weight[0] * weight[1] / (total * total) * distance;
    for (Index i = 0; i < n; ++i) {
      double projection = -middle;
      for (Index j = 0; j < d; ++j) projection += normal[at(j)] * y(i, j);
      cut.side[at(i)] = projection > 0.0 ? 1 : 0;
    }
  }
  return cut;
}

/// Axes across which a cut is tried: those with the least and the largest fourth moments. Two clusters of
/// like sizes have a small one, a small cluster far away makes a large one.
std::vector<Index> axes_to_cut(const Matrix& y) {
  constexpr Index n_each = 3;
  std::vector<double> fourth(at(y.n_cols()));
  for (Index i = 0; i < y.n_rows(); ++i)
    for (Index j = 0; j < y.n_cols(); ++j) fourth[at(j)] += std::pow(y(i, j), 4);
  std::vector<Index> order(at(y.n_cols()));
  std::iota(order.begin(), order.end(), Index{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](Index a, Index b) { return fourth[at(a)] < fourth[at(b)]; });
  if (static_cast<Index>(order.size()) > 2 * n_each)
    order.erase(order.begin() + n_each, order.end() - n_each);
  return order;
}

/// Moments of both sides, as many rows together as the component has.
MixtureMoments halves_of(const WeightedRows& rows, const Frame& frame, const MixtureTerms& terms, Index k,
                         const std::vector<int>& side, double n_rows) {
  Matrix shifts(2, frame.n_features());
  for (const Index half : {0, 1}) std::copy_n(terms.mean.row(k), frame.n_features(), shifts.row(half));
  AssignedMoments assigned(frame, shifts, terms.is_diagonal);
  assigned.add(rows, side, 1);
  MixtureMoments halves = assigned.result();
  const double factor = n_rows / (halves.zeroth[0] + halves.zeroth[1]);
  const auto scale = [factor](std::span<double> values) {
    for (double& v : values) v *= factor;
  };
  scale(halves.zeroth);
  scale(halves.first.values());
  scale(halves.second.values());
  scale(halves.levels.values());
  scale(halves.lacking.values());
  return halves;
}

void copy_component(const MixtureMoments& from, Index k, MixtureMoments& to, Index place) {
  std::copy_n(from.shift.row(k), from.n_features(), to.shift.row(place));
  to.zeroth[at(place)] = from.zeroth[at(k)];
  std::copy_n(from.first.row(k), from.n_features(), to.first.row(place));
  std::copy_n(from.second.row(k), from.second.n_cols(), to.second.row(place));
  std::copy_n(from.levels.row(k), from.levels.n_cols(), to.levels.row(place));
  std::copy_n(from.lacking.row(k), from.n_features(), to.lacking.row(place));
}

} // namespace

std::vector<SplitProposal> propose_splits(const WeightedRows& rows, const Frame& frame,
                                          const MixtureTerms& terms, const MixtureMoments& moments) {
  constexpr double of_a_gaussian = 2.0 / std::numbers::pi;
  const Index d = frame.n_features();
  std::vector<SplitProposal> proposals;
  if (d == 0) return proposals;
  const std::vector<Members> members = find_members(rows, frame, terms);
  for (Index k = 0; k < terms.n_components(); ++k) {
    const Members& own = members[at(k)];
    if (static_cast<Index>(own.rows.size()) < 2 * (d + 1)) continue; // too few to tell two clusters apart
    const WeightedRows of_component(rows.features(), own.rows, own.weights);
    const Matrix y = whitened(of_component, frame, terms, k);
    Cut best;
    for (const Index axis : axes_to_cut(y)) {
      Cut cut = two_means(y, own.weights, axis);
      if (cut.explained > best.explained) best = std::move(cut);
    }
    if (best.explained == 0.0) continue;
    const double n = moments.zeroth[at(k)];
    proposals.push_back(
        {k, n * (best.explained - of_a_gaussian), halves_of(of_component, frame, terms, k, best.side, n)});
  }
  std::stable_sort(proposals.begin(), proposals.end(),
                   [](const SplitProposal& a, const SplitProposal& b) { return a.score > b.score; });
  return proposals;
}

MixtureMoments split_component(const MixtureMoments& moments, const SplitProposal& split) {
  const Index n = moments.n_components();
  MixtureMoments result(Matrix(n + 1, moments.n_features()), moments.is_diagonal,
                        std::max<Index>(1, moments.levels.n_cols()) - 1);
  result.log_likelihood = moments.log_likelihood;
  for (Index k = 0; k < n; ++k) copy_component(moments, k, result, k);
  copy_component(split.halves, 0, result, split.component);
  copy_component(split.halves, 1, result, n);
  return result;
}

} // namespace lacuna
