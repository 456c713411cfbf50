#pragma once

#include <span>

#include "density/frame.hpp"
#include "density/gap_cache.hpp"
#include "density/mixture_terms.hpp"

namespace lacuna {

/// A mixture as the log density of rows, of which some may lack values. Safe to use from many threads at
/// once.
class MixtureReading {
public:
  /// `terms` are of the frame's features.
  MixtureReading(Frame frame, MixtureTerms terms) : frame_(std::move(frame)), terms_(std::move(terms)) {}

  /// 0 for a row without any value.
  void log_density(MatrixView rows, std::span<double> out) const;
  const Frame& frame() const { return frame_; }
  const MixtureTerms& terms() const { return terms_; }

private:
  Frame frame_;
  MixtureTerms terms_;
  GapCache gap_cache_;
};

} // namespace lacuna
