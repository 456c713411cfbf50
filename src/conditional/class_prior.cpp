#include "conditional/class_prior.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "conditional/labeled_rows.hpp"
#include "conditional/own_conditionals.hpp"
#include "conditional/probabilities.hpp"
#include "core/archive_checks.hpp"
#include "core/index.hpp"
#include "math/special.hpp"

namespace lacuna {

namespace {

class ClassPrior : public Conditional {
public:
  ClassPrior(ConditionalFacts facts, std::vector<double> log_shares)
      : Conditional(std::move(facts)), log_shares_(std::move(log_shares)) {}

  void log_probability(MatrixView rows, std::span<double> out) const override {
    for (Index i = 0; i < rows.n_rows; ++i)
      std::copy(log_shares_.begin(), log_shares_.end(), out.begin() + i * n_classes());
  }

  static std::shared_ptr<const Conditional> load(const Archive& archive, const std::string& prefix,
                                                 ConditionalFacts facts) {
    const std::string name = prefix + "log_share";
    std::vector<double> log_shares = finite(archive.vector(name, facts.n_classes), name);
    if (!(std::abs(log_sum_exp(log_shares)) < 1e-9))
      fail_damaged(name, "holds shares that do not sum to one");
    return std::make_shared<ClassPrior>(std::move(facts), std::move(log_shares));
  }

private:
  void save_parts(Archive& archive, const std::string& prefix) const override {
    archive.put(prefix + "log_share", log_shares_);
  }

  std::vector<double> log_shares_;
};

constexpr double unseen_rows = 0.5; ///< as if so many more had been seen of each class (Jeffreys)

/// How likely it is that all classes have the same share, if that and any other shares were as likely before:
/// few labels do not make one class more frequent than another.
double probability_of_equal_shares(std::span<const double> weights) {
  const auto n_classes = static_cast<double>(weights.size());
  double log_any = log_gamma(n_classes * unseen_rows) - n_classes * log_gamma(unseen_rows);
  double total = 0.0;
  for (const double weight : weights) {
    log_any += log_gamma(weight + unseen_rows);
    total += weight;
  }
  log_any -= log_gamma(total + n_classes * unseen_rows);
  return 1.0 / (1.0 + std::exp(log_any + total * std::log(n_classes)));
}

} // namespace

ConditionalEntry class_prior_entry() {
  return {class_prior_name, ClassPrior::load};
}

std::shared_ptr<const Conditional> ClassPriorFamily::fit(const DatasetView& data,
                                                         const ConditionalFitContext& /*context*/) const {
  const LabeledRows labeled = labeled_rows(data);
  const std::vector<double> weights = labeled.class_weights();
  const double equal = probability_of_equal_shares(weights);
  const auto n_classes = static_cast<double>(weights.size());
  const double total = std::accumulate(weights.begin(), weights.end(), n_classes * unseen_rows);
  std::vector<double> scores;
  for (const double weight : weights)
    scores.push_back(std::log(equal / n_classes + (1.0 - equal) * (weight + unseen_rows) / total));
  std::vector<double> log_shares(at(data.n_classes()));
  spread_scores(scores, labeled.classes, log_shares);
  to_log_probabilities(log_shares);
  return std::make_shared<ClassPrior>(ConditionalFacts{class_prior_name, data.n_features(), data.n_classes()},
                                      std::move(log_shares));
}

} // namespace lacuna
