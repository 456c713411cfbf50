#include "lacuna/learning/options.hpp"

#include <charconv>
#include <cmath>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "lacuna/core/errors.hpp"

namespace lacuna {

namespace {

/// Every choice and its one spelling.
template <class Choice>
using Names = std::vector<std::pair<Choice, std::string_view>>;

const Names<Method> method_names = {{Method::supervised, "supervised"},
                                    {Method::mcar_sampling, "mcar-sampling"},
                                    {Method::mcar_em, "mcar-em"},
                                    {Method::mar, "mar"}};
const Names<PosteriorForm> posterior_names = {{PosteriorForm::joint, "joint"},
                                              {PosteriorForm::product, "product"}};
const Names<CovarianceType> covariance_names = {{CovarianceType::full, "full"},
                                                {CovarianceType::tied, "tied"},
                                                {CovarianceType::diagonal, "diagonal"},
                                                {CovarianceType::spherical, "spherical"}};
const Names<WeightPrior> weight_prior_names = {{WeightPrior::dirichlet, "dirichlet"},
                                               {WeightPrior::stick_breaking, "stick-breaking"}};
const Names<DensityForm> density_form_names = {{DensityForm::predictive, "predictive"},
                                               {DensityForm::plug_in, "plug-in"},
                                               {DensityForm::expected_log, "expected-log"}};

const Names<KdeBandwidth> kde_bandwidth_names = {{KdeBandwidth::likelihood, "likelihood"},
                                                 {KdeBandwidth::silverman, "silverman"},
                                                 {KdeBandwidth::scott, "scott"}};

template <class Choice>
std::string name_of(const Names<Choice>& names, Choice choice) {
  for (const auto& [value, name] : names)
    if (value == choice) return std::string(name);
  throw Error(ErrorKind::internal, "an option has a value without a name");
}

template <class Choice>
Choice find_name(const Names<Choice>& names, std::string_view option, const std::string& text) {
  std::string known;
  for (const auto& [value, name] : names) {
    if (name == text) return value;
    known += (known.empty() ? "" : ", ") + std::string(name);
  }
  throw Error(ErrorKind::usage, fmt::format("{}: got '{}', expected one of {}", option, text, known));
}

bool parse_number(std::string_view text, double& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() && std::isfinite(value);
}

} // namespace

std::string to_string(Method method) {
  return name_of(method_names, method);
}
std::string to_string(PosteriorForm form) {
  return name_of(posterior_names, form);
}
std::string to_string(CovarianceType type) {
  return name_of(covariance_names, type);
}
std::string to_string(WeightPrior prior) {
  return name_of(weight_prior_names, prior);
}
std::string to_string(DensityForm form) {
  return name_of(density_form_names, form);
}

std::string to_string(KdeBandwidth bandwidth) {
  return name_of(kde_bandwidth_names, bandwidth);
}

std::string to_string(const KappaOption& kappa) {
  return kappa.is_auto ? fmt::format("auto:{}", kappa.alpha) : fmt::format("{}", kappa.value);
}

std::string to_string(const DrawsOption& draws) {
  return draws.is_soft ? "soft" : std::to_string(draws.n_draws);
}

Method parse_method(const std::string& text) {
  return find_name(method_names, "method", text);
}
PosteriorForm parse_posterior(const std::string& text) {
  return find_name(posterior_names, "posterior", text);
}
CovarianceType parse_covariance(const std::string& text) {
  return find_name(covariance_names, "covariance", text);
}
WeightPrior parse_weight_prior(const std::string& text) {
  return find_name(weight_prior_names, "weight-prior", text);
}
DensityForm parse_density_form(const std::string& text) {
  return find_name(density_form_names, "density-form", text);
}

KdeBandwidth parse_kde_bandwidth(const std::string& text) {
  return find_name(kde_bandwidth_names, "kde-bandwidth", text);
}

KappaOption parse_kappa(const std::string& text) {
  constexpr std::string_view prefix = "auto:";
  KappaOption kappa;
  if (text == "auto") return kappa;
  kappa.is_auto = text.starts_with(prefix);
  const bool is_number = kappa.is_auto
                             ? parse_number(std::string_view(text).substr(prefix.size()), kappa.alpha)
                             : parse_number(text, kappa.value);
  if (!is_number)
    throw Error(ErrorKind::usage,
                fmt::format("kappa: got '{}', expected a number or auto:ALPHA, such as auto:0.05", text));
  return kappa;
}

DrawsOption parse_draws(const std::string& text) {
  DrawsOption draws;
  draws.is_soft = text == "soft";
  if (draws.is_soft) return draws;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), draws.n_draws);
  if (error != std::errc() || end != text.data() + text.size())
    throw Error(ErrorKind::usage, fmt::format("draws: got '{}', expected a whole number or soft", text));
  return draws;
}

void check_options(const LearningOptions& options) {
  OptionChecks checks;
  checks.require(!options.kappa.is_auto || (options.kappa.alpha >= 0.0 && options.kappa.alpha < 1.0), "kappa",
                 to_string(options.kappa), "auto:ALPHA with ALPHA from 0 to below 1");
  checks.require(options.draws.is_soft || (options.draws.n_draws >= 1 && options.draws.n_draws <= 1000),
                 "draws", to_string(options.draws), "1 to 1000, or soft");
  checks.require(options.max_em_iterations >= 1, "max-em-iterations",
                 std::to_string(options.max_em_iterations), "at least 1");
  checks.require(std::isfinite(options.em_tolerance) && options.em_tolerance >= 0.0, "em-tolerance",
                 fmt::format("{}", options.em_tolerance), "a number of at least 0");
  checks.require(options.n_folds >= 2 && options.n_folds <= 100, "folds", std::to_string(options.n_folds),
                 "2 to 100");
  checks.require(options.threads >= 0 && options.threads <= 1024, "threads", std::to_string(options.threads),
                 "0 (all cores) to 1024");
  check_options(options, checks);
  checks.throw_if_any();
}

void apply_paper_preset(LearningOptions& options) {
  options.vb_mixture.n_components = 5;
  options.vb_mixture.density_form = DensityForm::expected_log;
  options.vb_mixture.covariance_scale = 1.0;
  options.vb_mixture.own_covariance = true;
  options.vb_mixture.tolerance = 1e-6;
  options.draws = {.is_soft = false, .n_draws = 1};
  options.posterior = PosteriorForm::product;
  options.kappa = {.is_auto = false, .alpha = 0.05, .value = 0.0};
}

} // namespace lacuna
