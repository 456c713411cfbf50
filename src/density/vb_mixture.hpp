#pragma once

#include "density/frame.hpp"
#include "density/mixture_reading.hpp"
#include "density/vb_posterior.hpp"
#include "lacuna/density/density.hpp"
#include "lacuna/density/options.hpp"

namespace lacuna {

/// A fitted variational mixture.
class VbMixture : public Density {
public:
  VbMixture(Frame frame, const VbPrior& prior, VbPosterior posterior, DensityForm form,
            DensityFitSummary summary);

  void log_density(MatrixView rows, std::span<double> out) const override;
  void expected_log_density(MatrixView rows, std::span<double> out) const override;
  double divergence() const override;
  void sample(RandomStream& random, std::span<double> out) const override;
  bool handles_missing_values() const override { return true; }
  static std::shared_ptr<const VbMixture> load(const Archive& archive, const std::string& prefix,
                                               DensityFacts facts);

  const Frame& frame() const { return frame_; }
  const VbPrior& prior() const { return prior_; }
  const VbPosterior& posterior() const { return posterior_; }
  DensityForm form() const { return form_; }

private:
  void save_parts(Archive& archive, const std::string& prefix) const override;

  Frame frame_;
  VbPrior prior_;
  VbPosterior posterior_;
  DensityForm form_;
  MixtureReading reading_;
};

} // namespace lacuna
