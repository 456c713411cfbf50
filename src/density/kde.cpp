#include "density/kde.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include "core/archive_checks.hpp"
#include "core/index.hpp"
#include "math/special.hpp"

namespace lacuna {

void whiten_row(const Frame& frame, const std::vector<double>& whitener, const double* row, double* out) {
  constexpr double largest = 1e140;
  const auto bounded = [=](double v) { return std::clamp(v, -largest, largest); };
  const auto d = frame.center.size();
  const double* a = whitener.data() + whitener.size();
  // From the last row of the triangle to the first, so that `out` can hold the frame's values meanwhile.
  for (std::size_t j = 0; j < d; ++j) out[j] = bounded((row[j] - frame.center[j]) / frame.scale[j]);
  for (std::size_t i = d; i-- > 0;) {
    a -= i + 1;
    double sum = 0.0;
    for (std::size_t j = 0; j <= i; ++j) sum += a[j] * out[j];
    out[i] = bounded(sum);
  }
}

namespace {

/// To the log sum over all other points, what is left of the row's own point where equal rows share it.
double with_equal_rows(double log_sum, double weight, double share) {
  constexpr double rounding = 1e-9;
  const double others = log_sum - std::log1p(-share);
  const double of_equal_rows = weight - share;
  if (of_equal_rows < rounding * share) return others;
  const double sums[] = {others, std::log(of_equal_rows) - std::log1p(-share)};
  return log_sum_exp(sums);
}

} // namespace

Kde::Kde(Frame frame, std::vector<double> whitener, KdeTree tree, double bandwidth_factor, double tolerance,
         DensityFitSummary summary)
    : Density({"kde", frame.n_features(), std::move(summary)}), frame_(std::move(frame)),
      whitener_(std::move(whitener)), tree_(std::move(tree)), bandwidth_factor_(bandwidth_factor),
      tolerance_(tolerance) {
  const Index d = n_features();
  log_constant_ = frame_.log_jacobian() - 0.5 * static_cast<double>(d) * std::log(2.0 * std::numbers::pi);
  for (Index i = 0; i < d; ++i) log_constant_ += std::log(whitener_[at(i * (i + 1) / 2 + i)]);
  double sum = 0.0;
  for (Index i = 0; i < tree_.n_points(); ++i) cumulative_weight_.push_back(sum += tree_.weight(i));
}

void Kde::log_density(MatrixView rows, std::span<double> out) const {
  in_blocks(rows, [&](Index first, const Matrix& queries) {
    std::vector<KdeTree::Question> questions;
    for (Index i = 0; i < queries.n_rows(); ++i) questions.push_back({queries.row(i)});
    const std::span<double> some = out.subspan(at(first), questions.size());
    tree_.log_sums(questions, tolerance_, some);
    for (double& value : some) value += log_constant_;
  });
}

/// The kernels at rows of the fit, without the rows' own shares of the weight (eq. 8).
void Kde::log_density_left_out(MatrixView rows, std::span<const double> shares, std::span<double> out) const {
  constexpr double rounding = 1e-9;
  in_blocks(rows, [&](Index first, const Matrix& queries) {
    std::vector<KdeTree::Question> questions;
    for (Index i = 0; i < queries.n_rows(); ++i) {
      const double share = shares[at(first + i)];
      // Of the only row there is nothing would be left.
      const bool is_left_out = share > 0.0 && share < 1.0 - rounding;
      questions.push_back({queries.row(i), 1.0, is_left_out ? tree_.nearest(queries.row(i)) : KdeTree::none});
    }
    const std::span<double> some = out.subspan(at(first), questions.size());
    tree_.log_sums(questions, tolerance_, some);
    for (std::size_t i = 0; i < questions.size(); ++i) {
      if (const Index point = questions[i].left_out; point != KdeTree::none)
        some[i] = with_equal_rows(some[i], tree_.weight(point), shares[at(first) + i]);
      some[i] += log_constant_;
    }
  });
}

/// Whitened rows, so many at a time as there is something to gain by.
void Kde::in_blocks(MatrixView rows,
                    const std::function<void(Index first, const Matrix& queries)>& visit) const {
  constexpr Index block_rows = 1024;
  for (Index first = 0; first < rows.n_rows; first += block_rows) {
    Matrix queries(std::min(block_rows, rows.n_rows - first), n_features());
    for (Index i = 0; i < queries.n_rows(); ++i)
      whiten_row(frame_, whitener_, rows.row(first + i), queries.row(i));
    visit(first, queries);
  }
}

void Kde::sample(RandomStream& random, std::span<double> out) const {
  const double share = random.uniform() * cumulative_weight_.back();
  const auto found = std::upper_bound(cumulative_weight_.begin(), cumulative_weight_.end(), share);
  const auto row = std::min(static_cast<Index>(found - cumulative_weight_.begin()), tree_.n_points() - 1);
  std::vector<double> z(at(n_features()));
  tree_.point(row, z.data());
  for (double& value : z) value += random.normal();
  const double* a = whitener_.data();
  for (std::size_t i = 0; i < z.size(); a += ++i) { // back to the frame by forward substitution
    for (std::size_t j = 0; j < i; ++j) z[i] -= a[j] * z[j];
    z[i] /= a[i];
    out[i] = frame_.center[i] + frame_.scale[i] * z[i];
  }
}

void Kde::save_parts(Archive& archive, const std::string& prefix) const {
  const Index n = tree_.n_points();
  Matrix points(n, n_features());
  std::vector<double> weights;
  for (Index i = 0; i < n; ++i) {
    tree_.point(i, points.row(i));
    weights.push_back(tree_.weight(i));
  }
  frame_.save(archive, prefix);
  archive.put(prefix + "n_rows", static_cast<double>(n));
  archive.put(prefix + "whitener", whitener_);
  archive.put(prefix + "bandwidth_factor", bandwidth_factor_);
  archive.put(prefix + "kde_tolerance", tolerance_);
  archive.put(prefix + "rows", points);
  archive.put(prefix + "weights", std::move(weights));
}

std::shared_ptr<const Kde> Kde::load(const Archive& archive, const std::string& prefix, DensityFacts facts) {
  const Index d = facts.n_features;
  const Index n = archive.integer(prefix + "n_rows", 1, largest_saved_count);
  const std::vector<double>& whitener = archive.vector(prefix + "whitener", d * (d + 1) / 2);
  const Matrix points = archive.matrix(prefix + "rows", n, d);
  const std::vector<double>& weights = archive.vector(prefix + "weights", n);
  const double factor = archive.number(prefix + "bandwidth_factor");
  const double tolerance = archive.number(prefix + "kde_tolerance");
  require_within(whitener, largest_saved_whitener, prefix + "whitener");
  require_within(points.values(), largest_saved_mean, prefix + "rows");
  require_saved(all_positive(weights), prefix, "weights that are not positive");
  require_saved(std::abs(std::accumulate(weights.begin(), weights.end(), 0.0) - 1.0) < 1e-6, prefix,
                "weights that do not sum to one");
  require_saved(factor > 0.0 && factor <= largest_saved_whitener && tolerance >= 0.0 && tolerance < 1.0,
                prefix, "a bandwidth or tolerance outside its limits");
  for (Index i = 0; i < d; ++i)
    require_saved(whitener[at(i * (i + 1) / 2 + i)] > 0.0, prefix, "a bandwidth that is not positive");
  return std::make_shared<Kde>(Frame::load(archive, prefix, d), whitener, KdeTree(points, weights), factor,
                               tolerance, std::move(facts.summary));
}

} // namespace lacuna
