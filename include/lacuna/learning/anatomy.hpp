#pragma once

#include <array>
#include <limits>
#include <vector>

#include "lacuna/core/options.hpp"

namespace LACUNA_API lacuna {

/// Whence an answer comes. A classifier mixes what it would say in each of these cases.
enum class AnswerSource {
  inside,       ///< labels speak about rows like it
  extrapolated, ///< they do not, and what they say elsewhere is believed
  unknown,      ///< they do not, and nothing is known
  strange       ///< it is unlike all rows that were seen
};
constexpr auto choice_names(AnswerSource) {
  return std::array{
      ChoiceName{AnswerSource::inside, "inside"}, ChoiceName{AnswerSource::extrapolated, "extrapolated"},
      ChoiceName{AnswerSource::unknown, "unknown"}, ChoiceName{AnswerSource::strange, "strange"}};
}

struct AnswerPart {
  AnswerSource source = AnswerSource::inside;
  double weight = 0.0;            ///< how likely this is the case
  double error_probability = 0.0; ///< of the prediction, if it is
};

/// What is behind the answer about one row (docs/math/explanation.md). NaN: this classifier does not ask.
struct Anatomy {
  static constexpr double none = std::numeric_limits<double>::quiet_NaN();

  double log_ratio = none;       ///< also where the row is so strange that nothing is said about the region
  double strangeness = 0.0;      ///< how likely it is unlike all rows that were seen
  double outside = none;         ///< rho: how far it lies outside the region
  double trust = none;           ///< how much of the extrapolation is believed
  double distance = none;        ///< to the nearest labeled row; one is the median of labeled rows
  double log_share = none;       ///< of labels among rows like it, over that among all
  double disagreement = none;    ///< of the members of the stack
  std::vector<AnswerPart> parts; ///< weights add up to one, weight times error_probability to that announced
};

} // namespace lacuna
