#include "experiments/simulate.hpp"

#include <algorithm>

#include "data/row_rule.hpp"
#include "data/table_copy.hpp"
#include "data/table_rows.hpp"
#include "lacuna/core/errors.hpp"
#include "lacuna/core/random.hpp"

namespace lacuna {

namespace {

std::vector<int> class_numbers(const std::vector<std::string>& names,
                               const std::vector<std::string>& classes) {
  std::vector<int> numbers;
  for (const std::string& name : names) {
    const auto found = std::ranges::find(classes, name);
    if (found == classes.end()) {
      ErrorParts parts;
      parts.option = "rare";
      parts.found = "'" + name + "'";
      for (const std::string& other : classes)
        parts.expected +=
            (parts.expected.empty() ? "classes of the table, which are '" : ", '") + other + "'";
      throw Error(ErrorKind::usage, std::move(parts));
    }
    numbers.push_back(static_cast<int>(found - classes.begin()));
  }
  return numbers;
}

void require_all_labels(const Dataset& data, const std::string& path) {
  const auto found = std::ranges::find(data.labels, missing_label);
  if (found == data.labels.end()) return;
  throw Error(ErrorKind::data, "'" + path + "', row " + std::to_string(found - data.labels.begin() + 1) +
                                   ": there is no label; a simulation hides labels of a table that has all "
                                   "of them. Leave such rows out");
}

std::vector<char> rare_region(const Dataset& data, const MissingnessOptions& options, Observer& observer) {
  std::vector<char> is_rare(static_cast<std::size_t>(data.n_rows()));
  if (options.rare_classes.empty()) return is_rare;
  const std::vector<double> share = rare_share(data.features.view(), data.labels, options, observer);
  std::ranges::transform(share, is_rare.begin(), [](double s) { return is_rare_share(s) ? 1 : 0; });
  return is_rare;
}

/// How often each row was drawn, by a rule: inside with a chance of its own each.
std::vector<Index> draw_by_rule(const std::vector<char>& is_inside, const SimulateRequest& request) {
  std::vector<Index> drawn(is_inside.size());
  std::vector<std::size_t> outside;
  for (std::size_t i = 0; i < is_inside.size(); ++i) {
    if (is_inside[i] == 0) outside.push_back(i);
    if (is_inside[i] == 0 && !request.rate_outside) continue;
    RandomStream random(request.seed, RandomPurpose::missingness, i);
    drawn[i] = random.uniform() < (is_inside[i] != 0 ? request.rate_inside : *request.rate_outside) ? 1 : 0;
  }
  if (request.rate_outside) return drawn;
  MissingnessOptions by_lot = request;
  by_lot.protocol = LabelProtocol::mcar;
  const std::vector<Index> drawn_outside = draw_labeled(std::vector<int>(outside.size()), {}, by_lot);
  for (std::size_t k = 0; k < outside.size(); ++k) drawn[outside[k]] = drawn_outside[k];
  return drawn;
}

SimulateOutcome counts(const std::vector<Index>& drawn, const std::vector<char>& is_rare) {
  SimulateOutcome outcome;
  outcome.n_rows = static_cast<Index>(drawn.size());
  for (std::size_t i = 0; i < drawn.size(); ++i) {
    if (drawn[i] > 0) ++outcome.n_labeled;
    if (drawn[i] > 1) ++outcome.n_repeated;
    if (is_rare[i]) ++outcome.n_rare;
    if (is_rare[i] && drawn[i] > 0) ++outcome.n_rare_labeled;
  }
  return outcome;
}

} // namespace

const OptionTable<SimulateRequest>& SimulateRequest::table() {
  using O = SimulateRequest;
  static const OptionTable<O> rows = [] {
    // Every row has a label.
    OptionTable<O> all = table_rows<O>({"missing_label", "weights"},
                                       {{"label", "Column with the labels"},
                                        {"drop", "Columns that are not features; they stay in the output"},
                                        {"no_header", "The first line of DATA is data"}});
    OptionTable<O> drawing = rows_of<O, MissingnessOptions>();
    drawing.front() = option("protocol", &O::by_protocol, "NAME",
                             "How labels go missing; or by " + mention("rule"), {.unset = "none"})
                          .in_group("Protocol");
    OptionTable<O> own{
        option("rare", &O::rare, "A,B,...", "Rarely labeled classes"),
        option("rule", &O::rule, "RULE",
               "Instead of a protocol: labels go missing where this holds, such as 'age < 38', or \"age < 38 "
               "and "
               "job = clerk or hours >= 60\""),
        option("rate_inside", &O::rate_inside, "X",
               "With " + mention("rule") + ": chance of a row to keep its label where the rule holds",
               {.low = 0.0, .high = 1.0}),
        option("rate_outside", &O::rate_outside, "X",
               "With " + mention("rule") + ": the same elsewhere; else as many rows as " +
                   mention("labeled") + " says keep it there, by lot",
               {.low = 0.0, .high = 1.0, .unset = "none"})};
    for (Option<O>& row : own) row.group = "Protocol";
    drawing.insert(drawing.begin() + 1, own.begin(), own.end());
    all.insert(all.end(), drawing.begin(), drawing.end());
    return all;
  }();
  return rows;
}

void SimulateRequest::check_together(OptionChecks& checks) const {
  checks.require(by_protocol.has_value() != !rule.empty(), "protocol",
                 by_protocol ? "one beside " + mention("rule") : "none",
                 "one of " + mention("protocol") + " and " + mention("rule"));
  checks.require(rule.empty() || rare.empty(), "rare", "classes",
                 "none with " + mention("rule") + ", which says itself where labels are rare");
  if (by_protocol) require_rare(*by_protocol, checks, !rare.empty());
}

SimulateOutcome simulate_table(const SimulateRequest& request,
                               const std::function<void(std::string_view)>& write,
                               const std::function<void(std::string_view)>& write_strata,
                               Observer& observer) {
  check_options(request);
  require_label_source(request);
  const TrainingTable table = read_training_table(request.path, {}, request, observer);
  require_all_labels(table.data, request.path);
  std::vector<char> is_rare;
  std::vector<Index> drawn;
  if (!request.rule.empty()) {
    is_rare = rows_by_rule(request.path, request, request.rule, observer);
    if (is_rare.size() != table.data.labels.size())
      throw Error(ErrorKind::data, "'" + request.path + "': it changed while it was read; try again");
    drawn = draw_by_rule(is_rare, request);
  } else {
    require_complete(table.data.features.view(), table.data.feature_names, 0, "the search for neighbours");
    MissingnessOptions options = request;
    options.protocol = *request.by_protocol;
    options.rare_classes = class_numbers(request.rare, table.data.class_names);
    is_rare = rare_region(table.data, options, observer);
    drawn = draw_labeled(table.data.labels, is_rare, options);
  }

  std::vector<char> keeps_label(drawn.size());
  std::vector<std::string> strata(drawn.size());
  for (std::size_t i = 0; i < drawn.size(); ++i) {
    keeps_label[i] = drawn[i] > 0 ? 1 : 0;
    strata[i] = stratum_name(is_rare[i] != 0);
  }
  if (!request.label.empty()) {
    copy_table(request.path, request, {keeps_label, stratum_column, strata}, write, observer);
  } else {
    for (std::size_t i = 0; i < drawn.size(); ++i) {
      const auto label = static_cast<std::size_t>(table.data.labels[i]);
      write(csv_cell(keeps_label[i] ? table.data.class_names[label] : "") + "\n");
      write_strata(strata[i] + "\n");
    }
  }
  return counts(drawn, is_rare);
}

} // namespace lacuna
