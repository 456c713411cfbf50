#pragma once

#include <array>
#include <span>
#include <string>
#include <vector>

#include "lacuna/core/archive.hpp"
#include "lacuna/core/matrix.hpp"
#include "learning/episodes.hpp"

namespace lacuna {

/// What speaks against an extrapolation to a row; each is 0 where nothing does, and rises.
struct Signals {
  double depth = 0.0;        ///< how far the log ratio is below the threshold
  double distance = 0.0;     ///< from the nearest labeled row
  double scarcity = 0.0;     ///< of labels among rows like it
  double disagreement = 0.0; ///< of the members

  /// From what was measured, in units in which one is a lot.
  static Signals of(double depth, double distance, double log_share, double disagreement);
  std::array<double, 4> values() const { return {depth, distance, scarcity, disagreement}; }
};

/// A row whose label was hidden, by an episode or by a fold, and what the extrapolation said about it.
struct HiddenRow {
  /// A labeled row that lies outside itself: what is known about the gap that there really is.
  static constexpr int own_row = -1;

  int episode = own_row;
  GapKind kind = GapKind::feature;
  double outside = 0.0;           ///< rho: how far it was outside
  double error_probability = 0.0; ///< that the extrapolation announced
  double true_probability = 0.0;  ///< that it gave to the true class
  bool is_wrong = false;
  Signals signals;

  /// One about which p(y|x) was said, while `label` is true.
  static HiddenRow of(std::span<const double> p, std::size_t label);
};

/// The error probability of an extrapolation, learned from episodes: a logistic regression on the one that it
/// announces and on the signals, in which no signal lowers it (docs/math/trust.md).
class Trust {
public:
  static constexpr std::size_t n_coefficients = 6; ///< one, the announced log odds, four signals
  using Vector = std::array<double, n_coefficients>;
  /// How far episodes reached in depth, distance and scarcity: nobody has seen an extrapolation beyond.
  using Ends = std::array<double, 3>;

  /// No trust: what lies outside is not known.
  Trust() = default;
  /// Counts each episode the same however many rows it has, and labeled rows that lie outside themselves. Few
  /// episodes give no trust.
  static Trust fit(std::span<const HiddenRow> rows, Index n_classes, Index n_labeled);

  bool is_none() const { return is_none_; }
  /// How much of its certainty an extrapolation keeps that gives `largest` to its class: from 0 to 1.
  double of(double largest, const Signals& signals, Index n_classes) const;
  /// Beyond this depth, as a signal, nothing is known.
  double deepest() const { return ends_.front(); }

  void save(Archive& archive, const std::string& prefix) const;
  /// Throws Error(data).
  static Trust load(const Archive& archive, const std::string& prefix);

private:
  double unseen(const Signals& signals) const;

  bool is_none_ = true;
  Vector coefficients_{};
  Ends ends_{};
};

/// The share t of its certainty that an extrapolation was worth in an episode: the t that makes the true
/// classes likeliest under t p + (1 - t) / K.
double worth(std::span<const double> true_probabilities, Index n_classes);

} // namespace lacuna
