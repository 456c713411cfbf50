#pragma once

#include <memory>

#include "density/column_shapes.hpp"
#include "lacuna/density/density.hpp"

namespace lacuna {

/// A density of rows by way of one of the rows as shapes see them. With respect to lengths of numbers, and
/// counts of categories and spikes.
class ShapedDensity : public Density {
public:
  /// Its name in an archive. No family: nobody can ask for it.
  static constexpr const char* name = "shaped";

  /// `log_jacobian` is the sum of weight times log Jacobian over the rows of the fit: what the objective
  /// lacks in the units of the rows.
  ShapedDensity(std::shared_ptr<const ColumnShapes> shapes, std::shared_ptr<const Density> inner,
                double log_jacobian);

  const Density& inner() const { return *inner_; }
  const ColumnShapes& shapes() const { return *shapes_; }

  void log_density(MatrixView rows, std::span<double> out) const override;
  void log_density_left_out(MatrixView rows, std::span<const double> shares,
                            std::span<double> out) const override;
  void expected_log_density(MatrixView rows, std::span<double> out) const override;
  double divergence() const override { return inner_->divergence(); }
  std::shared_ptr<const Density> posterior_draw(Index draw, Index n_draws, std::uint64_t seed) const override;
  void sample(RandomStream& random, std::span<double> out) const override;
  bool handles_missing_values() const override { return inner_->handles_missing_values(); }
  static std::shared_ptr<const ShapedDensity> load(const Archive& archive, const std::string& prefix,
                                                   DensityFacts facts);

private:
  ShapedDensity(DensityFacts facts, std::shared_ptr<const ColumnShapes> shapes,
                std::shared_ptr<const Density> inner)
      : Density(std::move(facts)), shapes_(std::move(shapes)), inner_(std::move(inner)) {}
  void save_parts(Archive& archive, const std::string& prefix) const override;
  /// ask(seen rows, number of the first, their values) is called for blocks of rows.
  template <class Ask>
  void through_shapes(MatrixView rows, std::span<double> out, const Ask& ask) const;

  std::shared_ptr<const ColumnShapes> shapes_;
  std::shared_ptr<const Density> inner_;
};

} // namespace lacuna
