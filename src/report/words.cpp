#include "report/words.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace lacuna {

std::string quoted(const std::string& name) {
  return name.empty() ? "(empty)" : "'" + name + "'";
}

std::string count_words(Index number) {
  const std::string digits = std::to_string(number);
  std::string text;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    if (i > 0 && (digits.size() - i) % 3 == 0 && digits[i - 1] != '-') text += ',';
    text += digits[i];
  }
  return text;
}

std::string percent_words(double share) {
  return std::isfinite(share) ? fmt::format("{:.1f} %", 100.0 * share) : "an unknown share";
}

std::string gaps_words(const StackSummary& stack) {
  if (stack.gaps.empty() || !(stack.deepest > 0.0))
    return "No trust in extrapolation was learned, so that nothing is believed outside the region.";
  constexpr double much = 0.8;
  const auto n_kept = std::count_if(stack.gaps.begin(), stack.gaps.end(),
                                    [](const GapRecord& gap) { return gap.worth >= much; });
  return fmt::format(
      "Labels were hidden on purpose in {} gaps: in {} of them extrapolation was worth at least "
      "{:.0f} % of its certainty, and beyond depth {:.1f} nobody has seen how it does.",
      stack.gaps.size(), n_kept, 100.0 * much, stack.deepest);
}

std::string check_words(const StackSummary& stack) {
  if (stack.all.n_rows == 0) return "";
  const auto sums = [](const SelfCheck& check) {
    return fmt::format("announced {} errors and made {}", percent_words(check.announced),
                       percent_words(check.made));
  };
  const auto is_breach = [](const SelfCheck& check) {
    return check.n_rows > 0 && check.announced < check.low;
  };
  std::string text = fmt::format("On {} labeled rows that it had not seen it {}",
                                 count_words(stack.all.n_rows), sums(stack.all));
  if (stack.deep.n_rows > 0) text += "; on the tenth that is least like the others it " + sums(stack.deep);
  return text + (is_breach(stack.all) || is_breach(stack.deep) ? ": do not rely on numbers that were too low."
                                                               : ".");
}

std::string promise_words(const PromiseCheck& check) {
  const PromiseCheck::Rows& inside = check.inside;
  const PromiseCheck::Rows& outside = check.outside;
  const auto share = [](Index part, Index all) {
    return percent_words(static_cast<double>(part) / static_cast<double>(all));
  };
  std::string text = fmt::format("Sets of classes promise to have the true one for {:.0f} % of the rows. ",
                                 100.0 * check.coverage);
  text += inside.n > 0
              ? fmt::format("Where labels speak they had it for {}; where they are silent a set has all "
                            "classes.",
                            share(inside.n_covered, inside.n))
              : std::string("Labels speak about none of these rows, so each set has all classes.");
  const Index n_answered = inside.n_answered + outside.n_answered;
  if (n_answered == 0)
    return text + fmt::format(" At a risk of {:.0f} % no row is answered.", 100.0 * check.risk);
  return text + fmt::format(" At a risk of {:.0f} % it answers {} of all rows, and {} of these answers were "
                            "wrong.",
                            100.0 * check.risk, share(n_answered, inside.n + outside.n),
                            share(inside.n_wrong + outside.n_wrong, n_answered));
}

std::vector<ReportWords> class_words(const std::vector<std::string>& class_names, const ScoredRows& rows,
                                     std::size_t max_classes) {
  struct Tally {
    std::size_t number = 0;
    Index n = 0;      ///< rows predicted as this class
    Index n_true = 0; ///< rows of this class
    Index n_errors = 0;
    double announced = 0.0;
    double error_rate() const { return static_cast<double>(n_errors) / static_cast<double>(n); }
  };
  std::vector<Tally> tallies(class_names.size());
  for (std::size_t y = 0; y < tallies.size(); ++y) tallies[y].number = y;
  for (Index i = 0; i < rows.n_rows(); ++i) {
    const auto at = static_cast<std::size_t>(i);
    Tally& tally = tallies[static_cast<std::size_t>(rows.prediction[at])];
    ++tally.n;
    tally.n_errors += rows.is_error(i) ? 1 : 0;
    tally.announced += rows.error_probability[at];
    ++tallies[static_cast<std::size_t>(rows.label[at])].n_true;
  }
  std::vector<ReportWords> words;
  std::string never;
  std::size_t n_never = 0;
  for (const Tally& tally : tallies) {
    if (tally.n > 0 || tally.n_true == 0) continue;
    if (++n_never <= 5) never += (never.empty() ? "" : ", ") + quoted(class_names[tally.number]);
  }
  if (n_never > 0)
    words.push_back({"Never predicted",
                     fmt::format("{}{}: {} among the test rows, but no prediction names {}.", never,
                                 n_never > 5 ? fmt::format(" and {} more", n_never - 5) : "",
                                 n_never == 1 ? "it occurs" : "they occur", n_never == 1 ? "it" : "them")});
  constexpr Index fewest = 10;
  std::erase_if(tallies, [](const Tally& tally) { return tally.n < fewest || tally.n_errors == 0; });
  std::sort(tallies.begin(), tallies.end(), [](const Tally& a, const Tally& b) {
    const double difference = a.error_rate() - b.error_rate();
    return difference != 0.0 ? difference > 0.0 : a.number < b.number;
  });
  for (std::size_t i = 0; i < std::min(max_classes, tallies.size()); ++i) {
    const Tally& tally = tallies[i];
    words.push_back({"Predictions of class " + quoted(class_names[tally.number]),
                     fmt::format("{} rows: {} were wrong, {} were announced.", count_words(tally.n),
                                 percent_words(tally.error_rate()),
                                 percent_words(tally.announced / static_cast<double>(tally.n)))});
  }
  return words;
}

} // namespace lacuna
