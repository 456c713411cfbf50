#include "density/shaped_density.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "core/archive_checks.hpp"
#include "core/index.hpp"

namespace lacuna {

namespace {

constexpr Index block_rows = 1024;

DensityFacts facts_of(const ColumnShapes& shapes, const Density& inner, double log_jacobian) {
  DensityFacts facts{ShapedDensity::name, shapes.n_columns(), inner.summary()};
  facts.summary.objective += log_jacobian;
  for (double& objective : facts.summary.history) objective += log_jacobian;
  return facts;
}

} // namespace

ShapedDensity::ShapedDensity(std::shared_ptr<const ColumnShapes> shapes, std::shared_ptr<const Density> inner,
                             double log_jacobian)
    : Density(facts_of(*shapes, *inner, log_jacobian)), shapes_(std::move(shapes)), inner_(std::move(inner)) {
}

template <class Ask>
void ShapedDensity::through_shapes(MatrixView rows, std::span<double> out, const Ask& ask) const {
  Matrix seen(std::min(block_rows, rows.n_rows), shapes_->n_seen());
  std::vector<double> log_jacobian(at(seen.n_rows()));
  for (Index first = 0; first < rows.n_rows; first += block_rows) {
    const Index n = std::min(block_rows, rows.n_rows - first);
    for (Index i = 0; i < n; ++i) log_jacobian[at(i)] = shapes_->see(rows.row(first + i), seen.row(i));
    const std::span<double> values = out.subspan(at(first), at(n));
    ask(seen.view().middle_rows(0, n), first, values);
    for (std::size_t i = 0; i < values.size(); ++i) values[i] += log_jacobian[i];
  }
}

void ShapedDensity::log_density(MatrixView rows, std::span<double> out) const {
  through_shapes(rows, out, [&](MatrixView seen, Index /*first*/, std::span<double> values) {
    inner_->log_density(seen, values);
  });
}

void ShapedDensity::log_density_left_out(MatrixView rows, std::span<const double> shares,
                                         std::span<double> out) const {
  through_shapes(rows, out, [&](MatrixView seen, Index first, std::span<double> values) {
    inner_->log_density_left_out(seen, shares.subspan(at(first), values.size()), values);
  });
}

void ShapedDensity::expected_log_density(MatrixView rows, std::span<double> out) const {
  through_shapes(rows, out, [&](MatrixView seen, Index /*first*/, std::span<double> values) {
    inner_->expected_log_density(seen, values);
  });
}

std::shared_ptr<const Density> ShapedDensity::posterior_draw(Index draw, Index n_draws,
                                                             std::uint64_t seed) const {
  std::shared_ptr<const Density> drawn = inner_->posterior_draw(draw, n_draws, seed);
  if (drawn == nullptr) return nullptr;
  const double log_jacobian = summary().objective - inner_->summary().objective;
  return std::make_shared<ShapedDensity>(shapes_, std::move(drawn), log_jacobian);
}

void ShapedDensity::sample(RandomStream& random, std::span<double> out) const {
  std::vector<double> seen(at(shapes_->n_seen()));
  inner_->sample(random, seen);
  shapes_->look_back(seen.data(), random, out.data());
}

void ShapedDensity::save_parts(Archive& archive, const std::string& prefix) const {
  shapes_->save(archive, prefix + "shapes/");
  inner_->save(archive, prefix + "inner/");
}

std::shared_ptr<const ShapedDensity> ShapedDensity::load(const Archive& archive, const std::string& prefix,
                                                         DensityFacts facts) {
  auto shapes = ColumnShapes::load(archive, prefix + "shapes/", facts.n_features);
  auto inner = load_density(archive, prefix + "inner/");
  if (inner->n_features() != shapes->n_seen())
    fail_damaged(prefix + "inner", "has another number of features");
  return std::shared_ptr<const ShapedDensity>(
      new ShapedDensity(std::move(facts), std::move(shapes), std::move(inner)));
}

} // namespace lacuna
