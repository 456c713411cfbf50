#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "lacuna/core/observer.hpp"
#include "lacuna/core/options.hpp"
#include "lacuna/data/table.hpp"
#include "lacuna/pipeline/model.hpp"

namespace LACUNA_API lacuna {

/// What the log ratio of a row would be without a column, and with nothing else.
struct ColumnEffect {
  std::string name;
  std::string value; ///< in the table, a number with seven digits
  double push = 0.0; ///< the log ratio, less that without the column
  double without = 0.0;
  double alone = 0.0;
  double strangeness_without = 0.0;
};

/// What it means that a column is missing.
enum class EffectKind {
  marginal, ///< densities integrate it out: exact
  gap,      ///< a classifier of labeled against unlabeled rows answers to a row with a gap there
  none      ///< nobody can tell: the densities need complete rows, or no row lacks a label
};
constexpr auto choice_names(EffectKind) {
  return std::array{ChoiceName{EffectKind::marginal, "marginal"}, ChoiceName{EffectKind::gap, "gap"},
                    ChoiceName{EffectKind::none, "none"}};
}

/// A labeled row of the training table.
struct NearRow {
  Index row = 0; ///< from 0
  std::string label;
  double distance = 0.0; ///< docs/math/explanation.md, eq. 4
  std::vector<std::pair<std::string, std::string>>
      differences; ///< the columns that differ most, and its values
};

/// Why a row is informative or not, and how its error probability is made up (docs/math/explanation.md).
struct Explanation {
  Index row = 0; ///< from 0
  std::vector<std::string> classes;
  std::vector<double> posterior;
  std::string prediction;
  double error_probability = 0.0;
  double log_ratio = 0.0; ///< -inf for a strange row; `anatomy` has it even so
  bool is_informative = false;
  double kappa = 0.0;
  Anatomy anatomy;
  EffectKind effects = EffectKind::none;
  bool are_columns_mapped = false;   ///< they are features that maps have made of the columns
  std::vector<ColumnEffect> columns; ///< the largest push first; those that the row lacks are left out
  std::optional<std::vector<NearRow>> nearest; ///< empty: no training rows were given
  std::vector<std::string> words;              ///< the same in sentences
};

/// Training rows in memory, which are borrowed: encoded as the model's schema says, with class numbers.
struct TrainingRows {
  MatrixView columns;
  std::span<const int> labels;
};
/// Explains a row of `columns`, which are encoded as the model's schema says.
Explanation explain(const Model& model, MatrixView columns, Index row,
                    const std::optional<TrainingRows>& training = std::nullopt,
                    Observer& observer = silent_observer());

/// Of the options of tables those count that say how text is read, and what a missing label is in `train`.
struct ExplainRequest : TableOptions {
  std::string path;
  Index row = 1;            ///< from 1
  std::string train;        ///< the table of the fit; may be empty
  std::string train_labels; ///< its labels, when they come from a file

  static const OptionTable<ExplainRequest>& table();
};
/// The same for a row of a table. Throws what predict_table throws.
Explanation explain_table(const Model& model, const ExplainRequest& request, Observer& observer);

} // namespace lacuna
