#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "experiments/missingness.hpp"
#include "lacuna/core/observer.hpp"
#include "lacuna/data/table.hpp"

namespace lacuna {

/// The names of the strata, and of the column that holds them.
inline constexpr const char* stratum_column = "stratum";
inline const std::string& stratum_name(bool is_rare) {
  static const std::string rare = "rare";
  static const std::string rest = "rest";
  return is_rare ? rare : rest;
}

/// Hides labels of a fully labeled table. Distances between rows are in the units of the table's columns.
struct SimulateRequest : TableOptions, MissingnessOptions {
  std::string path;
  std::optional<LabelProtocol> by_protocol = {}; ///< of MissingnessOptions; or a rule
  std::string rule = {};                         ///< the rare region, in words: rows_by_rule
  double rate_inside = 0.003;                    ///< with a rule: chance of a row inside to keep its label
  std::optional<double> rate_outside = {};       ///< the same outside; empty: as many as `labeled` do
  std::vector<std::string> rare;                 ///< names of the rarely labeled classes

  static const OptionTable<SimulateRequest>& table();
  void check_together(OptionChecks& checks) const;
};

struct SimulateOutcome {
  Index n_rows = 0;
  Index n_labeled = 0;      ///< rows that keep their label
  Index n_repeated = 0;     ///< of these, drawn more than once (authors); the output has them once
  Index n_rare = 0;         ///< rows in the rare region
  Index n_rare_labeled = 0; ///< of these, with a label
};

/// With a label column, `write` gets the same table as CSV: hidden labels are empty cells, and a column
/// "stratum" says "rare" or "rest" for every row. With a file of labels, `write` gets a new one, a label or
/// "" per line, and `write_strata` a file with the strata in the same form.
SimulateOutcome simulate_table(const SimulateRequest& request,
                               const std::function<void(std::string_view)>& write,
                               const std::function<void(std::string_view)>& write_strata, Observer& observer);

} // namespace lacuna
