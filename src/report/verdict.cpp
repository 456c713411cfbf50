#include "report/verdict.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "report/words.hpp"

namespace lacuna {

namespace {

// Smaller differences nobody would act upon; where errors double, a point is enough.
constexpr double matters = 0.03;
constexpr double matters_doubled = 0.01;
// Half of .05 is for all rows, as their interval of 95 % shows; the other half for three closer looks: at
// parts, at bins and at the order.
constexpr double per_look = 0.025 / 3.0;

/// The least error rate that so many errors leave possible, but with this probability.
double least_rate(double made, Index n, double probability) {
  return clopper_pearson(n, std::llround(made * static_cast<double>(n)), 1.0 - 2.0 * probability).low;
}
double largest_rate(double made, Index n, double probability) {
  return clopper_pearson(n, std::llround(made * static_cast<double>(n)), 1.0 - 2.0 * probability).high;
}

bool too_many(double announced, double made, Index n_classes) {
  if (knows_nothing(announced, n_classes)) return false; // it said so
  const double excess = made - announced;
  return excess >= matters || (excess >= matters_doubled && made >= 2.0 * announced);
}

std::string announced_and_made(double announced, double made) {
  return fmt::format("announced {}, made {}", percent_words(announced), percent_words(made));
}

/// The parts with more errors than announced, the worst first.
std::vector<JudgedRows> broken_parts(const std::vector<JudgedRows>& parts, Index n_classes) {
  std::vector<JudgedRows> broken;
  const double probability = per_look / static_cast<double>(std::max<std::size_t>(parts.size(), 1));
  for (const JudgedRows& part : parts)
    if (part.n > 0 && too_many(part.announced, part.made, n_classes) &&
        least_rate(part.made, part.n, probability) > part.announced)
      broken.push_back(part);
  std::stable_sort(broken.begin(), broken.end(), [](const JudgedRows& a, const JudgedRows& b) {
    return a.made - a.announced > b.made - b.announced;
  });
  return broken;
}

/// The errors that bins made beyond what they announced, where chance cannot explain it; as a share of all
/// rows.
double certain_overconfidence(const Metrics& metrics, Index n_classes) {
  double sum = 0.0;
  for (const ReliabilityBin& bin : metrics.bins)
    if (bin.n > 0 && !knows_nothing(bin.mean_error_probability, n_classes) &&
        least_rate(bin.error_rate, bin.n, per_look / n_reliability_bins) > bin.mean_error_probability)
      sum += static_cast<double>(bin.n) * (bin.error_rate - bin.mean_error_probability);
  return sum / static_cast<double>(metrics.n);
}

std::string place_words(const JudgedRows& part) {
  return fmt::format("{} ({})", part.where, announced_and_made(part.announced, part.made));
}

std::string doubted_places(const std::vector<JudgedRows>& broken, std::size_t n_parts_looked_at) {
  if (broken.size() > 1 && broken.size() == n_parts_looked_at)
    return ", least of all " + place_words(broken.front());
  std::string text = " " + place_words(broken.front());
  if (broken.size() == 2) text += " and " + place_words(broken.back());
  if (broken.size() > 2) text += fmt::format(" and in {} other parts", broken.size() - 1);
  return text;
}

ReportVerdict verdict_without_order(const VerdictInput& input) {
  const Metrics& overall = input.overall;
  if (overall.n == 0) return {input.name, Tone::unsure, "was not judged: no test row has a label."};
  const double announced = overall.mean_error_probability;
  const double made = overall.error_rate;
  const Interval interval =
      clopper_pearson(overall.n, std::llround(made * static_cast<double>(overall.n)), interval_level);
  const std::string numbers = announced_and_made(announced, made);
  const bool is_broken = interval.low > announced && too_many(announced, made, input.n_classes);
  std::vector<JudgedRows> broken = broken_parts(input.parts, input.n_classes);
  const bool is_broken_inside =
      !is_broken && broken.empty() && certain_overconfidence(overall, input.n_classes) >= matters;
  if ((is_broken || is_broken_inside) && broken.empty() && input.too_sure)
    if (const std::optional<JudgedRows> place = input.too_sure()) broken.push_back(*place);
  const std::string places = broken.empty() ? "" : doubted_places(broken, input.parts.size());
  if (is_broken) return {input.name, Tone::broken, fmt::format("{}: do not trust it{}.", numbers, places)};
  if (is_broken_inside)
    return {input.name, Tone::broken,
            fmt::format("{}, but too sure of some rows and too careful about others: do not trust it on "
                        "single rows{}.",
                        numbers, broken.empty() ? "" : ", least of all " + place_words(broken.front()))};
  if (!broken.empty())
    return {input.name, Tone::broken, fmt::format("{} on the whole: do not trust it{}.", numbers, places)};
  if (interval.high < announced && announced - made >= matters)
    return {input.name, Tone::careful, numbers + ": too careful, it errs less often than it says."};
  if (0.5 * (interval.high - interval.low) > matters)
    return {input.name, Tone::unsure,
            fmt::format("{}: nothing against it, but {} rows cannot show less than {:.0f} points.", numbers,
                        count_words(overall.n), 50.0 * (interval.high - interval.low))};
  return {input.name, Tone::kept, numbers + ": it keeps its word."};
}

} // namespace

ReportVerdict verdict(const VerdictInput& input) {
  ReportVerdict result = verdict_without_order(input);
  const std::string inverted = inverted_words(input.risk_coverage, input.overall.n);
  if (inverted.empty()) return result;
  if (result.tone == Tone::kept)
    result.text =
        announced_and_made(input.overall.mean_error_probability, input.overall.error_rate) + " on the whole.";
  result.tone = Tone::broken;
  result.text += " " + inverted;
  return result;
}

std::optional<ReportVerdict> self_check_verdict(const std::string& name, const StackSummary& stack,
                                                Index n_classes) {
  const SelfCheck& all = stack.all;
  if (all.n_rows == 0) return {};
  const auto is_broken = [&](const SelfCheck& check) {
    return check.n_rows > 0 && check.low > check.announced &&
           too_many(check.announced, check.made, n_classes);
  };
  const std::string numbers = fmt::format("on {} labels that it had not seen, it {}", count_words(all.n_rows),
                                          announced_and_made(all.announced, all.made));
  if (is_broken(all)) return ReportVerdict{name, Tone::broken, numbers + ": do not trust it."};
  if (is_broken(stack.deep))
    return ReportVerdict{name, Tone::broken,
                         fmt::format("{}: do not trust it on rows least like the others ({}).", numbers,
                                     announced_and_made(stack.deep.announced, stack.deep.made))};
  if (0.5 * (all.high - all.low) > matters)
    return ReportVerdict{name, Tone::unsure, numbers + ": nothing against it, but so few rows show little."};
  return ReportVerdict{name, Tone::kept, numbers + ": it keeps its word where labels are."};
}

std::string verdict_headline(const std::vector<ReportVerdict>& verdicts) {
  if (verdicts.size() < 2) return "";
  const auto those = [&](Tone tone, const char* of_one, const char* of_several) {
    std::string names;
    std::size_t n = 0;
    for (const ReportVerdict& each : verdicts)
      if (each.tone == tone) names += (n++ > 0 ? ", " : " ") + each.name;
    return n == 0 ? "" : names + (n == 1 ? of_one : of_several);
  };
  const auto n_broken = std::count_if(verdicts.begin(), verdicts.end(),
                                      [](const ReportVerdict& each) { return each.tone == Tone::broken; });
  return (n_broken == 0 ? fmt::format("None of {} methods is to be distrusted.", verdicts.size())
                        : fmt::format("Do not trust {} of {} methods.", n_broken, verdicts.size())) +
         those(Tone::kept, " keeps its word.", " keep their word.") +
         those(Tone::careful, " is too careful.", " are too careful.") +
         those(Tone::unsure, " cannot be judged.", " cannot be judged.");
}

std::string inverted_words(const RiskCoverage& risk_coverage, Index n) {
  constexpr std::array<double, 6> shares{0.01, 0.02, 0.05, 0.1, 0.2, 0.5};
  // Two intervals that do not overlap.
  constexpr double probability = per_look / (2.0 * static_cast<double>(shares.size()));
  const std::vector<RiskCoveragePoint>& curve = risk_coverage.curve;
  std::string words;
  double worst = 0.0;
  for (const double share : shares) {
    // Rows that tie stay together.
    const auto point = std::find_if(curve.begin(), curve.end(),
                                    [&](const RiskCoveragePoint& each) { return each.coverage >= share; });
    if (point == curve.end() || point->coverage >= 1.0) continue;
    const auto n_sure = static_cast<Index>(std::llround(point->coverage * static_cast<double>(n)));
    const double others = (curve.back().risk - point->risk * point->coverage) / (1.0 - point->coverage);
    const double excess = point->risk - others;
    if (excess < std::max(worst, matters) ||
        least_rate(point->risk, n_sure, probability) <= largest_rate(others, n - n_sure, probability))
      continue;
    worst = excess;
    words = fmt::format("Acting on its surest rows is worse: of the surest {:.0f} % it gets {} wrong, of the "
                        "others {}.",
                        100.0 * point->coverage, percent_words(point->risk), percent_words(others));
  }
  return words;
}

} // namespace lacuna
