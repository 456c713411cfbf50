#pragma once

#include <memory>
#include <utility>

#include "lacuna/density/density.hpp"
#include "lacuna/density/options.hpp"

namespace lacuna {

// How lacuna's own families fit. Each is documented in docs/math.
std::shared_ptr<const Density> fit_density(const VbMixtureOptions& options, const WeightedRows& rows,
                                           const DensityFitContext& context);
std::shared_ptr<const Density> fit_density(const VbMixtureOptions& options, AllRows& rows,
                                           const DensityFitContext& context);
std::shared_ptr<const Density> fit_density(const GmmOptions& options, const WeightedRows& rows,
                                           const DensityFitContext& context);
std::shared_ptr<const Density> fit_density(const GmmOptions& options, AllRows& rows,
                                           const DensityFitContext& context);
std::shared_ptr<const Density> fit_density(const KdeOptions& options, const WeightedRows& rows,
                                           const DensityFitContext& context);
std::shared_ptr<const Density> fit_density(const DpMixtureOptions& options, const WeightedRows& rows,
                                           const DensityFitContext& context);

/// One of lacuna's own families with its options, which it checks. All standardise for themselves.
template <class Options>
class OwnFamily : public DensityFamily {
public:
  explicit OwnFamily(Options options) : options_(std::move(options)) { check_options(options_); }

  std::shared_ptr<const Density> fit(const WeightedRows& rows,
                                     const DensityFitContext& context) const override {
    return fit_density(options_, rows, context);
  }
  std::shared_ptr<const Density> fit_blocks(AllRows& rows, const DensityFitContext& context) const override {
    if constexpr (can_fit_blocks)
      return fit_density(options_, rows, context);
    else
      return DensityFamily::fit_blocks(rows, context);
  }
  bool fits_blocks() const override { return can_fit_blocks; }
  bool standardizes() const override { return true; }
  /// The mixtures of few components, which have no other way to take up a tail.
  bool gains_by_shapes() const override {
    return std::same_as<Options, VbMixtureOptions> || std::same_as<Options, GmmOptions>;
  }
  bool handles_missing_values() const override { return std::same_as<Options, VbMixtureOptions>; }
  bool handles_categories() const override { return std::same_as<Options, VbMixtureOptions>; }

private:
  static constexpr bool can_fit_blocks =
      requires(const Options& options, AllRows& rows, const DensityFitContext& context) {
    fit_density(options, rows, context);
  };

  Options options_;
};

using VbMixtureFamily = OwnFamily<VbMixtureOptions>;
using GmmFamily = OwnFamily<GmmOptions>;
using KdeFamily = OwnFamily<KdeOptions>;
using DpMixtureFamily = OwnFamily<DpMixtureOptions>;

} // namespace lacuna
