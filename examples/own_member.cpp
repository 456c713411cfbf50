// A classifier of your own in the stack: a rule of thumb. How far to believe it is found out like for any
// other member, by labels that were held out; so a rule has nothing to learn, and a number like 0.9 will do.
#include <cmath>
#include <iostream>
#include <utility>

#include "lacuna/lacuna.hpp"

namespace {

/// Class 1 on every other mile.
class Rule : public lacuna::Conditional {
public:
  explicit Rule(lacuna::ConditionalFacts facts) : Conditional(std::move(facts)) {}
  static bool is_odd(double mile) { return std::fmod(mile, 2.0) >= 1.0; }
  void log_probability(lacuna::MatrixView rows, std::span<double> out) const override {
    for (std::size_t i = 0; i < out.size(); ++i) // row by row: p(class 0), p(class 1)
      out[i] = std::log(is_odd(rows.data[i / 2]) == (i % 2 == 1) ? 0.9 : 0.1);
  }

private:
  void save_parts(lacuna::Archive& /*archive*/, const std::string& /*prefix*/) const override {}
};

class RuleFamily : public lacuna::ConditionalFamily {
public:
  std::string name() const override { return "rule"; }
  std::shared_ptr<const lacuna::Conditional>
  fit(const lacuna::DatasetView& data, const lacuna::ConditionalFitContext& /*context*/) const override {
    return std::make_shared<Rule>(lacuna::ConditionalFacts{name(), data.n_features(), data.n_classes()});
  }
};

} // namespace

int main() {
  lacuna::Dataset data; // 40 miles of road: one row in twenty breaks the rule, one in three has a label
  data.features = lacuna::Matrix(600, 1);
  data.class_names = {"even", "odd"};
  lacuna::RandomStream random(1, lacuna::RandomPurpose::simulation);
  for (lacuna::Index i = 0; i < 600; ++i) {
    data.features(i, 0) = 40.0 * random.uniform();
    const bool is_odd = Rule::is_odd(data.features(i, 0)) != (random.uniform() < 0.05);
    data.labels.push_back(i % 3 == 0 ? static_cast<int>(is_odd) : lacuna::missing_label);
  }
  lacuna::FitOptions options;
  options.conditional = lacuna::ConditionalForm::stack;
  options.members = {std::make_shared<RuleFamily>()};
  const lacuna::Model model = lacuna::fit(data, options);
  for (const lacuna::MemberRecord& member : model.record.summary.stack.members)
    std::cout << member.name << ": weight " << member.weight << '\n';

  // Whoever loads the model has to know the rule.
  lacuna::save_model(model, "own_member.lacuna", true);
  lacuna::register_conditional(
      {"rule", [](const auto&, const auto&, auto facts) { return std::make_shared<Rule>(facts); }});
  const lacuna::Matrix questions(2, 1, {12.5, 31.5});
  const lacuna::Scores scores = lacuna::load_model("own_member.lacuna").score(questions.view());
  std::cout << "wrong with probability " << scores.error_probability[0] << '\n';
  const bool is_believed = model.record.summary.stack.members.back().weight > 0.5;
  return is_believed && scores.prediction == std::vector{0, 1} ? 0 : 1;
}
