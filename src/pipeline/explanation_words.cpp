#include "pipeline/explanation_words.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "core/escapes.hpp"

namespace lacuna {

namespace {

std::string region_words(const Explanation& found) {
  if (found.log_ratio == std::numeric_limits<double>::infinity())
    return "Every training row had a label, so every row counts as informative.";
  if (std::isinf(found.log_ratio))
    return fmt::format("It is unlike all training rows (strangeness {:.3g}): labels say nothing about it, "
                       "whatever its log ratio, {:.3g}.",
                       found.anatomy.strangeness, found.anatomy.log_ratio);
  return fmt::format("{}: its log ratio {:.3g} is {} kappa = {:.3g}; labeled rows lie {:.3g} times as dense "
                     "around it as unlabeled ones{}.",
                     found.is_informative ? "Labels speak about it" : "Labels say little about it",
                     found.log_ratio, found.is_informative ? "above" : "not above", found.kappa,
                     std::exp(found.log_ratio),
                     found.effects == EffectKind::gap ? "" : ", by the class that is densest there");
}

std::string column_words(const Explanation& found) {
  if (found.columns.empty())
    return std::isfinite(found.anatomy.log_ratio) ? "Which columns push the log ratio is not known: the "
                                                    "densities of this model need complete rows."
                                                  : "No column pushes a log ratio that is infinite.";
  const ColumnEffect& first = found.columns.front();
  std::string text = fmt::format("Without {} ({}) the log ratio would be {:.3g}", escaped(first.name),
                                 escaped(first.value), first.without);
  if (found.columns.size() > 1)
    text += fmt::format("; no other {} changes it more", found.are_columns_mapped ? "feature" : "column");
  text += found.effects == EffectKind::marginal
              ? ". Left out means integrated out of the densities, which is exact."
              : ". Left out means a gap in the row that the classifier of labeled against unlabeled rows is "
                "shown.";
  if (found.anatomy.strangeness < 0.5) return text;
  const auto least = std::ranges::min_element(found.columns, {}, &ColumnEffect::strangeness_without);
  return text + fmt::format(" Without {} ({}) its strangeness would be {:.3g}.", escaped(least->name),
                            escaped(least->value), least->strangeness_without);
}

std::string trust_words(const Anatomy& anatomy) {
  return fmt::format(
      "Outside the region {:.0f} % of the extrapolation is believed. The nearest labeled row is "
      "{:.3g} times as far as labeled rows are from each other, labels are {:.3g} times as common "
      "among rows like it as among all, and the members of the stack differ by {:.3g}.",
      100.0 * anatomy.trust, anatomy.distance, std::exp(anatomy.log_share), anatomy.disagreement);
}

std::string sum_words(const Explanation& found) {
  constexpr double little = 1e-3;
  std::string sum;
  bool are_some_left_out = false;
  for (const AnswerPart& part : found.anatomy.parts) {
    if (part.weight < little) {
      are_some_left_out = true;
      continue;
    }
    sum += fmt::format("{}{:.3g} x {:.3g} ({})", sum.empty() ? "" : " + ", part.weight,
                       part.error_probability, source_words(part.source));
  }
  return fmt::format("The error probability {:.3g} is {}{}.", found.error_probability, sum,
                     are_some_left_out ? ", and what is left by cases that are less likely than a thousandth"
                                       : "");
}

std::string nearest_words(const Explanation& found) {
  if (!found.nearest)
    return "The nearest labeled rows are not known: a model keeps none; give the table of the fit by " +
           mention("train") + ".";
  if (found.nearest->empty()) return "The training table has no labeled row.";
  const NearRow& first = found.nearest->front();
  return fmt::format("The nearest labeled row is '{}', {:.3g} standard deviations off in the mean column.",
                     escaped(first.label), first.distance);
}

} // namespace

std::string source_words(AnswerSource source) {
  switch (source) {
  case AnswerSource::inside: return "labels speak";
  case AnswerSource::extrapolated: return "extrapolated";
  case AnswerSource::unknown: return "nothing is known";
  case AnswerSource::strange: return "unlike all rows";
  }
  return "";
}

std::vector<std::string> words_of(const Explanation& found) {
  std::vector<std::string> words{fmt::format("Predicted '{}', wrong with probability {:.3g}.",
                                             escaped(found.prediction), found.error_probability),
                                 region_words(found), column_words(found), sum_words(found)};
  constexpr double much = 0.01;
  if (found.anatomy.outside > much) words.push_back(trust_words(found.anatomy));
  words.push_back(nearest_words(found));
  return words;
}

} // namespace lacuna
