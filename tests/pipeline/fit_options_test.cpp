#include "lacuna/pipeline/fit.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include <gtest/gtest.h>

#include "lacuna/core/errors.hpp"
#include "tests/expect_error.hpp"

namespace lacuna {

namespace own_options_test {

/// A user's family with an option of its own; it fits nothing here.
struct StepOptions {
  static constexpr const char* family = "steps";
  Index n_steps = 3;
  static const OptionTable<StepOptions>& table() {
    static const OptionTable<StepOptions> rows{
        option("n_steps", &StepOptions::n_steps, "N", "How many steps", {.low = 1})};
    return rows;
  }
};

} // namespace own_options_test

namespace {

using own_options_test::StepOptions;
using test::expect_error;
using Texts = std::vector<std::string>;

Option<FitRequest> row(const std::string& name) {
  for (const Option<FitRequest>& each : fit_options())
    if (each.name == name) return each;
  throw std::runtime_error("no option " + name);
}

FitRequest with(const std::vector<GivenOption>& given) {
  FitRequest request;
  set_options(request, given);
  return request;
}

/// The family that has an option, so that it can be set.
std::vector<GivenOption> in_its_family(const std::string& name, const Texts& texts) {
  const std::vector<std::string> families = row(name).families;
  if (families.empty()) return {{name, texts}};
  return {{name, texts}, {"density", {families.front()}}};
}

TEST(FitOptions, NamesAreUniqueAndDescribed) {
  std::set<std::string> names;
  for (const Option<FitRequest>& each : fit_options()) {
    EXPECT_TRUE(names.insert(each.name).second) << each.name;
    EXPECT_FALSE(each.help.empty()) << each.name;
    EXPECT_FALSE(each.group.empty()) << each.name;
    EXPECT_EQ(each.value_name.empty(), each.kind == OptionKind::flag) << each.name;
    EXPECT_EQ(each.name.find('-'), std::string::npos) << each.name;
  }
}

// The contract that scripts rely on: this list may grow, nothing in it may change.
TEST(FitOptions, EachReadsBackWhatWasSetAndChangesNoOther) {
  const std::map<std::string, Texts> cases{{"label", {"y"}},
                                           {"classes", {"a", "b,c"}},
                                           {"missing_label", {"none"}},
                                           {"drop", {"id"}},
                                           {"categorical", {"zip", "day"}},
                                           {"no_header", {"true"}},
                                           {"missing_value", {"-999", "none"}},
                                           {"weights", {"w"}},
                                           {"method", {"mcar-em"}},
                                           {"conditional", {"densities"}},
                                           {"region", {"classifier"}},
                                           {"trust", {"worst"}},
                                           {"kappa", {"-1.5"}},
                                           {"posterior", {"product"}},
                                           {"draws", {"7"}},
                                           {"ignorant", {"random"}},
                                           {"background", {"none"}},
                                           {"shrinkage", {"0.25"}},
                                           {"folds", {"3"}},
                                           {"column_shapes", {"plain"}},
                                           {"max_em_iterations", {"17"}},
                                           {"em_tolerance", {"0.125"}},
                                           {"features", {"standardize,pca:0.5"}},
                                           {"encoding", {"sample"}},
                                           {"vae_architecture", {"conv"}},
                                           {"vae_hidden", {"128", "512"}},
                                           {"vae_decoder_hidden", {"64"}},
                                           {"vae_channels", {"8"}},
                                           {"vae_image_height", {"28"}},
                                           {"vae_image_width", {"14"}},
                                           {"vae_activation", {"sigmoid"}},
                                           {"vae_likelihood", {"gaussian"}},
                                           {"vae_epochs", {"7"}},
                                           {"vae_batch", {"128"}},
                                           {"vae_learning_rate", {"0.5"}},
                                           {"vae_schedule", {"cosine"}},
                                           {"vae_kl_warmup", {"5"}},
                                           {"vae_patience", {"6"}},
                                           {"vae_validation", {"0.25"}},
                                           {"device", {"cpu"}},
                                           {"memory", {"2G"}},
                                           {"density", {"kde"}},
                                           {"components", {"23"}},
                                           {"covariance", {"diagonal"}},
                                           {"weight_prior", {"stick-breaking"}},
                                           {"density_form", {"plug-in"}},
                                           {"own_covariance", {"true"}},
                                           {"weight_concentration", {"0.25"}},
                                           {"mean_precision", {"0.5"}},
                                           {"degrees_of_freedom", {"9.5"}},
                                           {"covariance_scale", {"2.5"}},
                                           {"category_concentration", {"0.5"}},
                                           {"restarts", {"4"}},
                                           {"max_iterations", {"99"}},
                                           {"tolerance", {"1e-3"}},
                                           {"covariance_floor", {"1e-2"}},
                                           {"kde_bandwidth", {"scott"}},
                                           {"kde_tolerance", {"0.01"}},
                                           {"dp_iterations", {"70"}},
                                           {"dp_burn_in", {"7"}},
                                           {"dp_draws", {"8"}},
                                           {"dp_separation", {"0.5"}},
                                           {"dp_concentration", {"2.5"}},
                                           {"seed", {"18446744073709551615"}}};
  for (const auto& [name, texts] : cases) {
    std::vector<GivenOption> given = in_its_family(name, texts);
    const FitRequest changed = with(given);
    std::string joined;
    for (const std::string& text : texts) joined += (joined.empty() ? "" : ",") + text;
    if (name == "tolerance") joined = "0.001";
    if (name == "covariance_floor") joined = "0.01";
    EXPECT_EQ(to_string(row(name).get(changed)), joined) << name;
    given.erase(given.begin());
    if (name == "density" || name == "features") continue; // other options count then
    const auto before = recorded_options(with(given));
    const auto after = recorded_options(changed);
    ASSERT_EQ(before.size(), after.size()) << name;
    for (std::size_t i = 0; i < before.size(); ++i)
      EXPECT_EQ(before[i].second == after[i].second, before[i].first != name)
          << name << " " << before[i].first;
  }
  for (const Option<FitRequest>& each : fit_options()) {
    if (each.families == std::vector<std::string>{"steps"}) continue; // of the test below
    EXPECT_EQ(each.is_recorded, cases.contains(each.name)) << each.name << " is not tested, or lost";
  }
}

TEST(FitOptions, WrongTextsAreUsageErrors) {
  const std::vector<std::pair<std::string, std::string>> wrong{
      {"components", "ten"},      {"components", "1.5"},  {"components", ""},
      {"components", "10x"},      {"seed", "-1"},         {"seed", "1e3"},
      {"tolerance", "small"},     {"method", "magic"},    {"kappa", "auto:"},
      {"draws", "hard"},          {"posterior", "both"},  {"covariance", "round"},
      {"threads", "99999999999"}, {"no_header", "maybe"}, {"preset", "nature"},
      {"features", "magic"},      {"features", "pca:0"},  {"features", "vae:"}};
  for (const auto& given : wrong)
    expect_error(ErrorKind::usage, {given.first + ": got '" + given.second + "', expected "}, [&] {
      with({{given.first, {given.second}}});
    });
  expect_error(ErrorKind::usage, {"componnets"}, [] { with({{"componnets", {"3"}}}); });
}

TEST(FitOptions, AMixtureHasAComponent) {
  for (const std::string density : {"gmm", "vb-gmm"}) {
    EXPECT_NO_THROW(check_options<LearningOptions>(with({{"density", {density}}, {"components", {"1"}}})));
    expect_error(ErrorKind::usage, {"components", "0"}, [&] {
      check_options<LearningOptions>(with({{"density", {density}}, {"components", {"0"}}}));
    });
  }
}

TEST(FitOptions, LimitsOfTheMethodAreItsOwn) {
  const std::vector<std::array<std::string, 3>> limits{
      // name, last allowed, first refused
      {"max_em_iterations", "1", "0"}, {"folds", "2", "1"},        {"folds", "100", "101"},
      {"shrinkage", "0", "-0.01"},     {"shrinkage", "1", "1.01"}, {"em_tolerance", "0", "-0.5"}};
  const auto check = [](const std::string& name, const std::string& text) {
    check_options<LearningOptions>(with({{name, {text}}}));
  };
  for (const auto& [name, allowed, refused] : limits) {
    EXPECT_NO_THROW(check(name, allowed)) << name;
    const auto refuse = [&check, name = name, refused = refused] { check(name, refused); };
    expect_error(ErrorKind::usage, {name, refused}, refuse);
  }
}

TEST(FitOptions, ExplicitOptionsWinOverThePresetInAnyOrder) {
  const FitRequest request = with({{"components", {"8"}}, {"preset", {"paper"}}});
  const auto* const mixture = request.density.as<VbMixtureOptions>();
  ASSERT_NE(mixture, nullptr);
  EXPECT_EQ(mixture->components, 8);
  EXPECT_EQ(mixture->density_form, DensityForm::expected_log);
  EXPECT_EQ(request.posterior, PosteriorForm::product);
  EXPECT_EQ(with({{"components", {"auto"}}}).density.as<VbMixtureOptions>()->components, std::nullopt);
}

TEST(FitOptions, AnOptionOfAnotherFamilyIsRefused) {
  for (const char* family : {"vb-gmm", "gmm"})
    EXPECT_NO_THROW(with({{"components", {"3"}}, {"density", {family}}}));
  expect_error(ErrorKind::usage,
               {"components: density family kde has no such option", "density vb-gmm or gmm"}, [] {
                 with({{"components", {"3"}}, {"density", {"kde"}}});
               });
}

TEST(FitOptions, AUsersFamilyBringsItsOwn) {
  const auto make = [](const StepOptions&) { return make_density_family("kde"); };
  const auto load = [](const Archive& archive, const std::string& prefix, const DensityFacts&) {
    return load_density(archive, prefix);
  };
  register_density_family(density_family<StepOptions>(make, load));
  const FitRequest request = with({{"density", {"steps"}}, {"n_steps", {"9"}}});
  EXPECT_EQ(request.density.as<StepOptions>()->n_steps, 9);
  const auto recorded = recorded_options(request);
  EXPECT_TRUE(std::any_of(recorded.begin(), recorded.end(), [](const auto& each) {
    return each.first == "n_steps" && each.second == OptionValue(Index{9});
  }));
  FitRequest wrong = request;
  wrong.density = StepOptions{.n_steps = 0};
  OptionChecks checks;
  check_options(wrong.density, checks);
  expect_error(ErrorKind::usage, {"n_steps: got 0"}, [&] { checks.throw_if_any(); });
}

TEST(FitOptions, TheRecordTellsOnlyWhatCounts) {
  const auto has = [](const FitRequest& request, const std::string& name) {
    const auto recorded = recorded_options(request);
    return std::any_of(recorded.begin(), recorded.end(),
                       [&](const auto& each) { return each.first == name; });
  };
  EXPECT_FALSE(has({}, "threads"));
  EXPECT_FALSE(has({}, "vae_hidden"));
  EXPECT_TRUE(has(with({{"features", {"vae:3"}}}), "vae_hidden"));
  EXPECT_FALSE(has(with({{"density", {"kde"}}}), "components"));
}

} // namespace
} // namespace lacuna
