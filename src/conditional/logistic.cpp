#include "conditional/logistic.hpp"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "conditional/labeled_rows.hpp"
#include "conditional/logistic_inputs.hpp"
#include "conditional/own_conditionals.hpp"
#include "conditional/probabilities.hpp"
#include "core/archive_checks.hpp"
#include "core/index.hpp"
#include "math/lbfgs.hpp"
#include "math/special.hpp"

namespace lacuna {

namespace {

constexpr const char* logistic_name = "logistic";

/// scores[k] = b_k + sum_j w_jk x_j. `coefficients` has one row of n_classes per input, the intercepts first.
void add_scores(std::span<const double> coefficients, std::span<const double> values,
                std::span<const std::int32_t> switches, std::span<double> scores) {
  const std::size_t n_classes = scores.size();
  std::copy_n(coefficients.begin(), n_classes, scores.begin());
  const double* weights = coefficients.data() + n_classes;
  for (std::size_t j = 0; j < values.size(); ++j)
    for (std::size_t k = 0; k < n_classes; ++k) scores[k] += values[j] * weights[j * n_classes + k];
  for (const std::int32_t j : switches)
    if (j != LogisticInputs::none)
      for (std::size_t k = 0; k < n_classes; ++k)
        scores[k] += weights[static_cast<std::size_t>(j) * n_classes + k];
}

class Logistic : public Conditional {
public:
  Logistic(ConditionalFacts facts, LogisticInputs inputs, std::vector<int> classes,
           std::vector<double> coefficients)
      : Conditional(std::move(facts)), inputs_(std::move(inputs)), classes_(std::move(classes)),
        coefficients_(std::move(coefficients)) {}

  void log_probability(MatrixView rows, std::span<double> out) const override {
    std::vector<double> values(inputs_.n_values());
    std::vector<std::int32_t> switches(inputs_.n_categorical());
    std::vector<double> scores(classes_.size());
    for (Index i = 0; i < rows.n_rows; ++i) {
      inputs_.read(rows.row(i), values, switches);
      add_scores(coefficients_, values, switches, scores);
      const std::span<double> row = out.subspan(at(i * n_classes()), at(n_classes()));
      spread_scores(scores, classes_, row);
      to_log_probabilities(row);
    }
  }

  static std::shared_ptr<const Conditional> load(const Archive& archive, const std::string& prefix,
                                                 ConditionalFacts facts) {
    LogisticInputs inputs = LogisticInputs::load(archive, prefix + "inputs/", facts.n_features);
    std::vector<int> classes = load_classes(archive, prefix + "classes", facts.n_classes);
    const std::string name = prefix + "coefficients";
    const Matrix saved =
        archive.matrix(name, static_cast<Index>(inputs.size()) + 1, static_cast<Index>(classes.size()));
    // Inputs are at most 5 and as many as there are columns: within this limit no score overflows.
    for (const double value : saved.values())
      if (!(std::abs(value) <= 1e100)) fail_damaged(name, "holds a value that no fit gives");
    return std::make_shared<Logistic>(std::move(facts), std::move(inputs), std::move(classes),
                                      std::vector<double>(saved.values().begin(), saved.values().end()));
  }

private:
  void save_parts(Archive& archive, const std::string& prefix) const override {
    inputs_.save(archive, prefix + "inputs/");
    save_classes(archive, prefix + "classes", classes_);
    const auto n_known = static_cast<Index>(classes_.size());
    archive.put(prefix + "coefficients",
                Matrix(static_cast<Index>(inputs_.size()) + 1, n_known, coefficients_));
  }

  LogisticInputs inputs_;
  std::vector<int> classes_;
  std::vector<double> coefficients_; ///< as add_scores takes them
};

/// The penalised likelihood of the labeled rows, per unit of weight (docs/math/conditional.md, eq. 2).
class LogisticLoss {
public:
  LogisticLoss(const DatasetView& data, const LabeledRows& labeled, const LogisticInputs& inputs,
               double ridge)
      : labeled_(labeled), n_values_(inputs.n_values()), n_categorical_(inputs.n_categorical()),
        ridge_(ridge), values_(labeled.size() * n_values_), switches_(labeled.size() * n_categorical_) {
    for (std::size_t i = 0; i < labeled.size(); ++i)
      inputs.read(data.features.row(labeled.rows[i]), std::span(values_).subspan(i * n_values_, n_values_),
                  std::span(switches_).subspan(i * n_categorical_, n_categorical_));
  }

  double operator()(std::span<const double> coefficients, std::span<double> gradient) const {
    const std::size_t n_classes = labeled_.classes.size();
    std::fill(gradient.begin(), gradient.end(), 0.0);
    std::vector<double> scores(n_classes);
    double loss = 0.0;
    for (std::size_t i = 0; i < labeled_.size(); ++i) {
      const auto values = std::span(values_).subspan(i * n_values_, n_values_);
      const auto switches = std::span(switches_).subspan(i * n_categorical_, n_categorical_);
      add_scores(coefficients, values, switches, scores);
      const double share = labeled_.weights[i] / labeled_.total_weight;
      const double log_sum = log_sum_exp(scores);
      loss += share * (log_sum - scores[labeled_.place[i]]);
      for (double& score : scores) score = share * std::exp(score - log_sum);
      scores[labeled_.place[i]] -= share;
      add_gradient(scores, values, switches, gradient);
    }
    const double strength = ridge_ / labeled_.total_weight;
    for (std::size_t c = n_classes; c < coefficients.size(); ++c) {
      loss += 0.5 * strength * coefficients[c] * coefficients[c];
      gradient[c] += strength * coefficients[c];
    }
    return loss;
  }

private:
  /// `slack` is how far each class's probability is above what it should be.
  static void add_gradient(std::span<const double> slack, std::span<const double> values,
                           std::span<const std::int32_t> switches, std::span<double> gradient) {
    const std::size_t n_classes = slack.size();
    for (std::size_t k = 0; k < n_classes; ++k) gradient[k] += slack[k];
    double* weights = gradient.data() + n_classes;
    for (std::size_t j = 0; j < values.size(); ++j)
      for (std::size_t k = 0; k < n_classes; ++k) weights[j * n_classes + k] += values[j] * slack[k];
    for (const std::int32_t j : switches)
      if (j != LogisticInputs::none)
        for (std::size_t k = 0; k < n_classes; ++k)
          weights[static_cast<std::size_t>(j) * n_classes + k] += slack[k];
  }

  const LabeledRows& labeled_;
  std::size_t n_values_;
  std::size_t n_categorical_;
  double ridge_;
  std::vector<double> values_;
  std::vector<std::int32_t> switches_;
};

} // namespace

ConditionalEntry logistic_entry() {
  return {logistic_name, Logistic::load};
}

std::shared_ptr<const Conditional> LogisticFamily::fit(const DatasetView& data,
                                                       const ConditionalFitContext& context) const {
  const LabeledRows labeled = labeled_rows(data);
  LogisticInputs inputs = LogisticInputs::fit(data, labeled);
  const LogisticLoss loss(data, labeled, inputs, ridge_);
  // The start is the class shares: intercepts that are right when no input says anything.
  std::vector<double> coefficients((inputs.size() + 1) * labeled.classes.size());
  const std::vector<double> class_weights = labeled.class_weights();
  std::transform(class_weights.begin(), class_weights.end(), coefficients.begin(),
                 [](double weight) { return std::log(weight); });
  lbfgs_minimise(
      [&](std::span<const double> x, std::span<double> gradient) {
        if (context.observer != nullptr) stop_if_cancelled(*context.observer);
        return loss(x, gradient);
      },
      coefficients);
  return std::make_shared<Logistic>(ConditionalFacts{logistic_name, data.n_features(), data.n_classes()},
                                    std::move(inputs), labeled.classes, std::move(coefficients));
}

} // namespace lacuna
