#include <map>

#include "lacuna/core/errors.hpp"
#include "lacuna/pipeline/workflows.hpp"
#include "pipeline/tables.hpp"

namespace lacuna {

namespace {

// More groups than this are hardly groups: the column was meant to be another one.
constexpr std::size_t max_strata = 1000;

class Evaluator {
public:
  Evaluator(const Model& model, const EvaluateRequest& request) : model_(model), request_(request) {
    const std::vector<std::string>& classes = model.classifier.parts().class_names;
    for (std::size_t y = 0; y < classes.size(); ++y) class_number_[classes[y]] = static_cast<int>(y);
  }

  void add(const TableBlock& block) {
    const Scores scores = model_.score(block.features.view(), block.first_row, request_.threads);
    for (Index row = 0; row < block.features.n_rows(); ++row) {
      const auto i = static_cast<std::size_t>(row);
      if (block.labels[i].empty()) {
        ++n_unlabeled_;
        continue;
      }
      const int label = class_of(block.labels[i], block.first_row + row);
      const std::span<const double> posterior(scores.posterior.row(row),
                                              static_cast<std::size_t>(scores.posterior.n_cols()));
      overall_.add(label, scores.prediction[i], scores.error_probability[i], posterior);
      if (request_.stratum_column.empty()) continue;
      stratum(block.strata[i]).add(label, scores.prediction[i], scores.error_probability[i], posterior);
    }
  }

  EvaluateOutcome outcome() const {
    EvaluateOutcome result;
    result.n_unlabeled = n_unlabeled_;
    result.evaluation.overall = overall_.metrics();
    if (result.evaluation.overall.n == 0)
      throw Error(ErrorKind::data, "'" + request_.path + "': none of its " + std::to_string(n_unlabeled_) +
                                       " rows has a label, so there is nothing to compare with; see --label");
    for (const auto& [name, accumulator] : strata_) result.evaluation.strata[name] = accumulator.metrics();
    return result;
  }

private:
  int class_of(const std::string& label, Index row) const {
    const auto found = class_number_.find(label);
    if (found != class_number_.end()) return found->second;
    std::string known;
    for (const std::string& name : model_.classifier.parts().class_names)
      known += (known.empty() ? "'" : ", '") + name + "'";
    throw Error(ErrorKind::data, "'" + request_.path + "', row " + std::to_string(row + 1) + ": the label '" +
                                     label + "' is not a class of the model (" + known +
                                     "); name it with --classes when fitting, or empty the cell to leave "
                                     "the row out");
  }

  ReliabilityAccumulator& stratum(const std::string& name) {
    if (strata_.size() >= max_strata && !strata_.contains(name))
      throw Error(ErrorKind::data, "'" + request_.path + "': column '" + request_.stratum_column +
                                       "' has more than " + std::to_string(max_strata) +
                                       " different values; --stratum wants a column with a few group names");
    return strata_[name];
  }

  const Model& model_;
  const EvaluateRequest& request_;
  std::map<std::string, int> class_number_;
  ReliabilityAccumulator overall_;
  std::map<std::string, ReliabilityAccumulator> strata_;
  Index n_unlabeled_ = 0;
};

} // namespace

EvaluateOutcome evaluate_table(const Model& model, const EvaluateRequest& request, Observer& observer) {
  require_one_label_source(request.label_column, request.table);
  TableReader reader(request.path, model.schema, request.table, request.label_column, request.stratum_column);
  Evaluator evaluator(model, request);
  for_each_block(reader, observer, [&](const TableBlock& block) { evaluator.add(block); });
  return evaluator.outcome();
}

} // namespace lacuna
