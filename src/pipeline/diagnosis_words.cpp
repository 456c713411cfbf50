#include "pipeline/diagnosis_words.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "core/index.hpp"
#include "lacuna/core/errors.hpp"
#include "learning/labeling_test.hpp"

namespace lacuna {

namespace {

constexpr Index few_labels = 10;        ///< of a class: no model of it can be judged
constexpr double much_outside = 0.05;   ///< of the rows
constexpr double few_effective = 100.0; ///< labels: an error rate of them is a guess

std::string percent(double share) {
  return fmt::format("{:.1f} %", 100.0 * share);
}

Finding labeling_words(const Diagnosis& found) {
  Finding finding{.topic = "labeling"};
  if (std::isnan(found.p_value)) {
    finding.concern = Concern::note;
    finding.found =
        fmt::format("Whether labels are missing by lot cannot be tested: {} rows have a label, {} "
                    "have none, and both must be five at least.",
                    found.n_labeled, found.n_unlabeled);
    finding.why = "A classifier of labeled against unlabeled rows needs some of both.";
    finding.remedy = "Check that the table has all rows, not only those with a label.";
    return finding;
  }
  const std::string numbers =
      fmt::format("AUC {:.3f} on rows that the classifier had not seen, p = {:.4f} by {} permutations",
                  found.auc, found.p_value, found.n_permutations);
  if (found.p_value > driver_level) {
    finding.found = "Labels may be missing by lot: labeled rows look like the others (" + numbers + ").";
    finding.why = "Then labeled rows stand for all rows, and what is measured on them holds everywhere.";
    finding.remedy = fmt::format(
        "Nothing. With {} labels only large differences show; ask who chose the rows.", found.n_labeled);
    return finding;
  }
  finding.concern = Concern::warning;
  finding.found =
      "Labels are not missing by lot: labeled rows can be told from the others (" + numbers + ").";
  finding.why =
      "What holds for labeled rows need not hold for the others. Accuracy and calibration measured on "
      "held-out labels say nothing about rows like which no label exists.";
  finding.remedy = "Fit with " + mention("method") +
                   " mar, which is the default, and act on rows that it calls informative.";
  return finding;
}

Finding column_words(const Diagnosis& found) {
  Finding finding{.topic = "columns", .concern = Concern::note};
  std::string columns;
  for (const LabelingColumn& column : found.columns)
    columns += fmt::format("{}{} ({:.3f})", columns.empty() ? "" : ", ", column.name, column.importance);
  finding.found = columns.empty() ? "No single column tells labeled rows from the others; together they do."
                                  : "Who has a label is told by " + columns +
                                        "; in brackets the AUC that is lost without the column.";
  if (found.gap) {
    const LabeledPart& gap = *found.gap;
    finding.found +=
        fmt::format(" Labels are missing most where {}: {} of {} rows have one ({}), of all rows {}.",
                    gap.where, gap.n_labeled, gap.n_rows,
                    percent(static_cast<double>(gap.n_labeled) / static_cast<double>(gap.n_rows)),
                    percent(static_cast<double>(found.n_labeled) /
                            static_cast<double>(found.n_labeled + found.n_unlabeled)));
  }
  finding.why = "There a model extrapolates, and no held-out label tells how well.";
  finding.remedy =
      "Ask who decided which rows get a label. Label rows there, or decide about them otherwise. A "
      "column that only records the decision tells nothing of the class: leave it out with " +
      mention("drop") + ".";
  return finding;
}

Finding overlap_words(const Diagnosis& found) {
  Finding finding{.topic = "overlap"};
  if (found.n_unlabeled == 0) {
    finding.found = "Every row has a label.";
    finding.why = "There is nothing that labels could say nothing about.";
    finding.remedy =
        "If labels are missing, check how a missing one is written: " + mention("missing_label") + ".";
    finding.concern = Concern::note;
    return finding;
  }
  finding.found = fmt::format(
      "Labels say nothing about {} of the {} rows without one. For the others, {} labels count like {:.0f}.",
      percent(found.outside_share), found.n_unlabeled, found.n_labeled, found.effective_labels);
  if (found.outside_share > much_outside || found.effective_labels < few_effective)
    finding.concern = Concern::warning;
  finding.why =
      "Labels that lie elsewhere than the rows they are to speak for count for less, and outside of "
      "where they lie for nothing.";
  finding.remedy = finding.concern == Concern::none
                       ? "Nothing."
                       : "Label rows where there are none; a few there are worth more than many elsewhere.";
  return finding;
}

Finding error_words(const Diagnosis& found) {
  Finding finding{.topic = "error"};
  finding.found = fmt::format(
      "A model errs on between {} and {} of the rows without a label; {} of them cannot be judged.",
      percent(found.error.low), percent(found.error.high), percent(found.outside_share));
  if (!std::isnan(found.error_inside))
    finding.found +=
        fmt::format(" Where labels speak it errs on {} (95 % interval {} to {}).",
                    percent(found.error_inside), percent(found.inside.low), percent(found.inside.high));
  if (found.error.high - found.error.low > 0.1) finding.concern = Concern::warning;
  finding.why =
      "Whatever is true where nobody looked: rows outside may all be right or all be wrong. Inside, "
      "labels are taken to be missing at random given the columns.";
  finding.remedy = finding.concern == Concern::none ? "Nothing."
                   : found.outside_share > 0.5 * (found.error.high - found.error.low)
                       ? "Labels outside make the interval smaller; more of those there are do not."
                       : "More labels make the interval smaller.";
  return finding;
}

Finding class_words(const Diagnosis& found) {
  Finding finding{.topic = "classes"};
  std::string counts;
  std::string few;
  constexpr std::size_t most_listed = 20;
  for (std::size_t y = 0; y < found.classes.size(); ++y) {
    if (y < most_listed)
      counts += fmt::format("{}{} {}", y > 0 ? ", " : "", found.classes[y], found.class_counts[y]);
    if (found.class_counts[y] < few_labels) few += (few.empty() ? "" : ", ") + found.classes[y];
  }
  if (found.classes.size() > most_listed)
    counts += fmt::format(" and {} more", found.classes.size() - most_listed);
  finding.found = "Labels of each class: " + counts + ".";
  finding.why = "A class without labels is never recognised, and one with a few cannot be judged.";
  if (few.empty()) {
    finding.remedy = "Nothing.";
  } else {
    finding.concern = Concern::warning;
    finding.found += fmt::format(" Fewer than {}: {}.", few_labels, few);
    finding.remedy = "Find labels of these, or check that these are names of classes, written in one way.";
  }
  return finding;
}

Finding limit_words() {
  return {
      .topic = "limits",
      .concern = Concern::note,
      .found =
          "Nobody can tell from these data whether labels are missing at random given the columns (MAR), "
          "or also because of what they would say (MNAR).",
      .why = "Under MNAR the classes of unlabeled rows differ from those of labeled rows that look the same, "
             "and every number here is off by that.",
      .remedy =
          "Label a few unlabeled rows, drawn by lot, and compare; or ask whoever left labels out whether "
          "they knew more than the columns say."};
}

} // namespace

std::vector<Finding> findings_of(const Diagnosis& diagnosis) {
  std::vector<Finding> findings{labeling_words(diagnosis)};
  if (diagnosis.p_value <= driver_level) findings.push_back(column_words(diagnosis));
  findings.push_back(overlap_words(diagnosis));
  if (diagnosis.n_unlabeled > 0) findings.push_back(error_words(diagnosis));
  findings.push_back(class_words(diagnosis));
  if (diagnosis.n_unlabeled > 0) findings.push_back(limit_words());
  return findings;
}

} // namespace lacuna
