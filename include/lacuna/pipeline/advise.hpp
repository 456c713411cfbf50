#pragma once

#include <array>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lacuna/core/observer.hpp"
#include "lacuna/pipeline/model.hpp"

namespace LACUNA_API lacuna {

/// Why a row should get a label.
enum class AdviceReason {
  unseen,   ///< labels say nothing about rows like it
  uncertain ///< labels say something, and several classes remain
};
constexpr auto choice_names(AdviceReason) {
  return std::array{ChoiceName{AdviceReason::unseen, "unseen"},
                    ChoiceName{AdviceReason::uncertain, "uncertain"}};
}

/// A row that should get a label (docs/advice.md).
struct AdvisedRow {
  Index row = 0; ///< from 0
  AdviceReason reason = AdviceReason::unseen;
  int prediction = 0; ///< class number
  int second = 0;     ///< the likeliest other class
  double error_probability = 0.0;
  double stands_for = 0.0;    ///< how many unlabeled rows its label would speak for, beside those before it
  double expected_drop = 0.0; ///< of the mean error probability of unlabeled rows
};

struct Advice {
  std::vector<AdvisedRow> rows; ///< the most useful first; fewer than asked for where no more would help
  Index n_labeled = 0;
  Index n_unlabeled = 0;
  double mean_error_probability = 0.0; ///< of unlabeled rows
};

struct AdviseOptions {
  Index n = 100; ///< rows
  int threads = 0;
};

/// `columns` are encoded as the model's schema says; `labels` are class numbers or missing_label, one per
/// row, or empty: no row has a label.
Advice advise(const Model& model, MatrixView columns, std::span<const int> labels,
              const AdviseOptions& options = {}, Observer& observer = silent_observer());

/// The same for a table. Where the options name no labels, those are looked for in the column that the model
/// was fitted to, which need not be there.
Advice advise_table(const Model& model, const std::string& path, const TableOptions& table,
                    const AdviseOptions& options, Observer& observer);

/// Hands the rows of an advice to `write` as CSV: what is advised, and the row as it stands in the table.
void write_advice(const Model& model, const Advice& advice, const std::string& path,
                  const TableOptions& table, const std::function<void(std::string_view)>& write,
                  Observer& observer);

} // namespace lacuna
