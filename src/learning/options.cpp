#include "lacuna/learning/options.hpp"

#include <charconv>
#include <cmath>
#include <string_view>

#include <fmt/format.h>

#include "core/common_options.hpp"

namespace lacuna {

namespace {

template <class Number>
std::optional<Number> parse_number(std::string_view text) {
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  if (!std::isfinite(static_cast<double>(value))) return std::nullopt;
  return value;
}

std::optional<Kappa> parse_kappa(const std::string& text) {
  constexpr std::string_view prefix = "auto:";
  if (text == "auto") return AutoKappa{};
  if (text.starts_with(prefix)) {
    const std::optional<double> alpha = parse_number<double>(std::string_view(text).substr(prefix.size()));
    return alpha ? std::optional<Kappa>(AutoKappa{*alpha}) : std::nullopt;
  }
  return parse_number<double>(text);
}

std::string kappa_text(const Kappa& kappa) {
  const auto* const chosen = std::get_if<AutoKappa>(&kappa);
  return chosen != nullptr ? fmt::format("auto:{}", chosen->alpha)
                           : fmt::format("{}", std::get<double>(kappa));
}

bool kappa_holds(const Kappa& kappa) {
  const auto* const chosen = std::get_if<AutoKappa>(&kappa);
  return chosen != nullptr ? chosen->alpha >= 0.0 && chosen->alpha < 1.0
                           : std::isfinite(std::get<double>(kappa));
}

std::optional<Draws> parse_draws(const std::string& text) {
  if (text == "soft") return SoftLabels{};
  return parse_number<Index>(text);
}

std::string draws_text(const Draws& draws) {
  const auto* const count = std::get_if<Index>(&draws);
  return count != nullptr ? std::to_string(*count) : "soft";
}

bool draws_hold(const Draws& draws) {
  const auto* const count = std::get_if<Index>(&draws);
  return count == nullptr || (*count >= 1 && *count <= 1000);
}

} // namespace

const OptionTable<LearningOptions>& LearningOptions::table() {
  using O = LearningOptions;
  static const OptionTable<O> rows{
      option(
          "method", &O::method, "NAME",
          "mar is lacuna's own; the others assume that labels went missing by lot, or use labeled rows only")
          .in_group("Method"),
      option(
          "conditional", &O::conditional, "FORM",
          "Class probabilities where labels speak: stack (densities, logistic regression, boosted trees and "
          "a forest, calibrated and weighted by rows they did not see), or densities alone, as in the paper")
          .in_group("Method"),
      option("region", &O::region, "HOW",
             "What tells where labels speak, with " + mention("conditional") +
                 " stack: densities, a classifier of labeled against unlabeled rows, or auto: what does it "
                 "better")
          .in_group("Method"),
      option("trust", &O::trust, "HOW",
             "How far a stack is trusted where labels are missing: none, regions (as far as simulated gaps "
             "justify), or worst (as far as the worst kind of gap does)")
          .in_group("Method"),
      option<O, Kappa>("kappa", &O::kappa, "X",
                       "Threshold of the informative region: a number, or auto:ALPHA to call at most a share "
                       "ALPHA of rows like the labeled ones uninformative",
                       "a number, or auto:ALPHA with ALPHA from 0 to below 1, such as auto:0.05", parse_kappa,
                       kappa_text, kappa_holds)
          .in_group("Method"),
      option("posterior", &O::posterior, "FORM", "joint (exact) or product (as in the paper)")
          .in_group("Method"),
      option<O, Draws>(
          "draws", &O::draws, "M",
          "Fill missing labels with M random draws, averaged, or 'soft': their probabilities; a stack does "
          "not draw",
          "a whole number from 1 to 1000, or soft", parse_draws, draws_text, draws_hold)
          .in_group("Method"),
      option("ignorant", &O::ignorant, "HOW",
             "Prediction where labels say nothing: guess, as the labeled rows would, or random, any class by "
             "lot, which errs at exactly the rate that is announced there")
          .in_group("Method"),
      option(
          "background", &O::background, "FORM",
          "Doubt about rows unlike all others: cauchy, so that far away every class is as likely, or none, "
          "as in the paper")
          .in_group("Method"),
      option("column_shapes", &O::column_shapes, "HOW",
             "How densities see difficult columns: auto (a frequent value told from the numbers, long tails "
             "on a log-like scale, rare categories taken as one), or plain, as in the paper")
          .in_group("Method"),
      option(
          "shrinkage", &O::shrinkage, "X",
          "How much class densities have in common, 0 (nothing) to 1 (all, so that only the classes' shares "
          "count), or auto: as much as makes labels likeliest that the densities did not see",
          {.low = 0.0, .high = 1.0, .unset = "auto"})
          .in_group("Method"),
      option("folds", &O::folds, "N",
             "Folds of the cross-fit for " + mention("kappa") + " auto and " + mention("shrinkage") + " auto",
             {.low = 2, .high = 100})
          .in_group("Method"),
      option("max_em_iterations", &O::max_em_iterations, "N", "mcar-em: most rounds of filling and fitting",
             {.low = 1})
          .in_group("Method"),
      option("em_tolerance", &O::em_tolerance, "X",
             "mcar-em: converged when the log likelihood changes by less than this per row", {.low = 0.0})
          .in_group("Method"),
      option("seed", &O::seed, "N", "Seed of everything random; one seed, one result").in_group("Run"),
      threads_option(&O::threads),
      device_option(&O::device)};
  return rows;
}

void LearningOptions::check_together(OptionChecks& checks) const {
  check_options(density, checks);
  const bool has_stack = conditional == ConditionalForm::stack;
  checks.require(members.empty() || has_stack, "conditional", to_string(conditional),
                 "stack, which the given members are to join");
  checks.require(has_stack || region != Region::classifier, "region", to_string(region),
                 mention("conditional") + " stack with it: densities alone tell their region themselves");
  checks.require(has_stack || trust != TrustForm::worst, "trust", to_string(trust),
                 mention("conditional") + " stack with it: densities alone trust nothing outside");
  for (const auto& member : members)
    checks.require(member != nullptr, "members", "a null pointer", "families of classifiers");
}

void apply_paper_preset(LearningOptions& options) {
  if (auto* const mixture = options.density.as<VbMixtureOptions>()) {
    mixture->components = 5;
    mixture->density_form = DensityForm::expected_log;
    mixture->covariance_scale = 1.0;
    mixture->own_covariance = true;
    mixture->tolerance = 1e-6;
  }
  options.conditional = ConditionalForm::densities;
  options.region = Region::densities;
  options.trust = TrustForm::none;
  options.draws = 1;
  options.posterior = PosteriorForm::product;
  options.ignorant = Ignorant::guess;
  options.background = BackgroundForm::none;
  options.column_shapes = ColumnShaping::plain;
  options.shrinkage = 0.0;
  options.kappa = 0.0;
}

} // namespace lacuna
