#include "lacuna/pipeline/settings.hpp"

#include <algorithm>
#include <map>
#include <set>

#include <gtest/gtest.h>

#include "lacuna/core/errors.hpp"

namespace lacuna {
namespace {

using Texts = std::vector<std::string>;

const FitSetting& setting(const std::string& name) {
  const auto& all = fit_settings();
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const FitSetting& s) { return s.name == name; });
  if (found == all.end()) throw std::runtime_error("no setting " + name);
  return *found;
}

std::string json_after(const std::string& name, const Texts& texts) {
  FitRequest request;
  setting(name).set(request, texts);
  return setting(name).json(request);
}

TEST(Settings, NamesAreUniqueAndDescribed) {
  std::set<std::string> names;
  for (const FitSetting& s : fit_settings()) {
    EXPECT_TRUE(names.insert(s.name).second) << s.name;
    EXPECT_FALSE(s.help.empty()) << s.name;
    EXPECT_FALSE(s.group.empty()) << s.name;
    EXPECT_EQ(s.value_name.empty(), s.kind == FitSetting::Kind::flag) << s.name;
  }
}

// The contract that scripts rely on: this list may grow, nothing in it may change.
TEST(Settings, EveryPromisedOptionIsThere) {
  for (const char* name : {"label",
                           "labels",
                           "method",
                           "density",
                           "preset",
                           "components",
                           "covariance",
                           "weight-prior",
                           "density-form",
                           "weight-concentration",
                           "mean-precision",
                           "degrees-of-freedom",
                           "covariance-scale",
                           "category-concentration",
                           "restarts",
                           "max-iterations",
                           "tolerance",
                           "kappa",
                           "classes",
                           "posterior",
                           "draws",
                           "max-em-iterations",
                           "em-tolerance",
                           "folds",
                           "seed",
                           "threads",
                           "no-header",
                           "drop",
                           "categorical",
                           "missing-label"})
    EXPECT_NO_THROW(setting(name)) << name;
}

TEST(Settings, EachSettingReadsBackWhatWasSet) {
  const std::map<std::string, std::pair<Texts, std::string>> cases{
      {"label", {{"y"}, "\"y\""}},
      {"classes", {{"a", "b,c"}, "[\"a\",\"b,c\"]"}},
      {"missing-label", {{"none"}, "\"none\""}},
      {"drop", {{"id"}, "[\"id\"]"}},
      {"categorical", {{"zip", "day"}, "[\"zip\",\"day\"]"}},
      {"no-header", {{"true"}, "true"}},
      {"method", {{"mcar-em"}, "\"mcar-em\""}},
      {"kappa", {{"-1.5"}, "\"-1.5\""}},
      {"posterior", {{"product"}, "\"product\""}},
      {"draws", {{"7"}, "\"7\""}},
      {"folds", {{"3"}, "3"}},
      {"max-em-iterations", {{"17"}, "17"}},
      {"em-tolerance", {{"0.125"}, "0.125"}},
      {"features", {{"standardize,pca:0.5"}, "\"standardize,pca:0.5\""}},
      {"encoding", {{"sample"}, "\"sample\""}},
      {"vae-architecture", {{"conv"}, "\"conv\""}},
      {"vae-hidden", {{"128", "512"}, "[128,512]"}},
      {"vae-decoder-hidden", {{"64"}, "[64]"}},
      {"vae-channels", {{"8"}, "[8]"}},
      {"vae-image-height", {{"28"}, "28"}},
      {"vae-image-width", {{"14"}, "14"}},
      {"vae-activation", {{"sigmoid"}, "\"sigmoid\""}},
      {"vae-likelihood", {{"gaussian"}, "\"gaussian\""}},
      {"vae-epochs", {{"7"}, "7"}},
      {"vae-batch", {{"128"}, "128"}},
      {"vae-learning-rate", {{"0.5"}, "0.5"}},
      {"vae-schedule", {{"cosine"}, "\"cosine\""}},
      {"vae-kl-warmup", {{"5"}, "5"}},
      {"vae-patience", {{"6"}, "6"}},
      {"vae-validation", {{"0.25"}, "0.25"}},
      {"device", {{"cpu"}, "\"cpu\""}},
      {"density", {{"kde"}, "\"kde\""}},
      {"components", {{"23"}, "23"}},
      {"covariance", {{"diagonal"}, "\"diagonal\""}},
      {"weight-prior", {{"stick-breaking"}, "\"stick-breaking\""}},
      {"density-form", {{"plug-in"}, "\"plug-in\""}},
      {"own-covariance", {{"true"}, "true"}},
      {"weight-concentration", {{"0.25"}, "0.25"}},
      {"mean-precision", {{"0.5"}, "0.5"}},
      {"degrees-of-freedom", {{"9.5"}, "9.5"}},
      {"covariance-scale", {{"2.5"}, "2.5"}},
      {"category-concentration", {{"0.5"}, "0.5"}},
      {"restarts", {{"4"}, "4"}},
      {"max-iterations", {{"99"}, "99"}},
      {"tolerance", {{"1e-3"}, "0.001"}},
      {"covariance-floor", {{"1e-2"}, "0.01"}},
      {"kde-bandwidth", {{"scott"}, "\"scott\""}},
      {"kde-tolerance", {{"0.01"}, "0.01"}},
      {"dp-iterations", {{"70"}, "70"}},
      {"dp-burn-in", {{"7"}, "7"}},
      {"dp-draws", {{"8"}, "8"}},
      {"dp-separation", {{"0.5"}, "0.5"}},
      {"dp-concentration", {{"2.5"}, "2.5"}},
      {"seed", {{"18446744073709551615"}, "18446744073709551615"}}};
  for (const auto& [name, texts_and_json] : cases) {
    EXPECT_EQ(json_after(name, texts_and_json.first), texts_and_json.second) << name;
    EXPECT_NE(json_after(name, texts_and_json.first), setting(name).json(FitRequest{}))
        << name << " was set to its default, which shows nothing";
  }
  for (const FitSetting& s : fit_settings())
    EXPECT_EQ(s.json == nullptr, !cases.contains(s.name)) << s.name << " is recorded but not tested, or lost";
}

TEST(Settings, EachSettingChangesNoOther) {
  FitRequest changed;
  setting("components").set(changed, {"23"});
  for (const FitSetting& s : fit_settings())
    if (s.json) {
      EXPECT_EQ(s.json(changed) == s.json(FitRequest{}), s.name != "components") << s.name;
    }
}

TEST(Settings, WrongTextsAreUsageErrors) {
  const std::vector<std::pair<std::string, std::string>> wrong{
      {"components", "-1"},    {"components", "ten"},      {"components", "1.5"},
      {"components", ""},      {"components", "10x"},      {"seed", "-1"},
      {"seed", "1e3"},         {"tolerance", "small"},     {"method", "magic"},
      {"kappa", "auto:"},      {"draws", "hard"},          {"posterior", "both"},
      {"covariance", "round"}, {"threads", "99999999999"}, {"no-header", "maybe"},
      {"preset", "nature"}};
  for (const auto& [name, text] : wrong) {
    FitRequest request;
    try {
      setting(name).set(request, {text});
      ADD_FAILURE() << name << " took '" << text << "'";
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::usage) << name;
      EXPECT_EQ(std::string(error.what()).find(name + ": got '" + text + "'"), 0U) << error.what();
    }
  }
}

TEST(Settings, ThePresetComesFirstSoThatExplicitSettingsWin) {
  EXPECT_EQ(fit_settings().front().name, "preset");
  FitRequest request;
  setting("preset").set(request, {"paper"});
  EXPECT_EQ(setting("components").json(request), "5");
  EXPECT_EQ(setting("density-form").json(request), "\"expected-log\"");
  EXPECT_EQ(setting("posterior").json(request), "\"product\"");
  EXPECT_EQ(setting("kappa").json(request), "\"0\"");
  EXPECT_EQ(setting("draws").json(request), "\"1\"");
  setting("components").set(request, {"8"});
  EXPECT_EQ(setting("components").json(request), "8");
  setting("components").set(request, {"auto"});
  EXPECT_EQ(setting("components").json(request), "\"auto\"");
  EXPECT_EQ(request.learning.vb_mixture.n_components, auto_components);
}

TEST(Settings, OfMixturesReachBothFamilies) {
  FitRequest request;
  setting("components").set(request, {"23"});
  setting("covariance").set(request, {"tied"});
  setting("restarts").set(request, {"4"});
  setting("max-iterations").set(request, {"77"});
  setting("tolerance").set(request, {"0.5"});
  const auto check = [](const auto& options) {
    EXPECT_EQ(options.n_components, 23);
    EXPECT_EQ(options.covariance, CovarianceType::tied);
    EXPECT_EQ(options.n_restarts, 4);
    EXPECT_EQ(options.max_iterations, 77);
    EXPECT_EQ(options.tolerance, 0.5);
  };
  check(request.learning.vb_mixture);
  check(request.learning.gmm);
}

TEST(Settings, ListsSplitAtCommasOutsideQuotes) {
  EXPECT_EQ(split_list("drop", "a"), (Texts{"a"}));
  EXPECT_EQ(split_list("drop", "a,b c,"), (Texts{"a", "b c", ""}));
  EXPECT_EQ(split_list("drop", "\"a,b\",c"), (Texts{"a,b", "c"}));
  EXPECT_EQ(split_list("drop", "\"say \"\"hi\"\"\""), (Texts{"say \"hi\""}));
  EXPECT_THROW(split_list("drop", "\"a,b"), Error);
}

} // namespace
} // namespace lacuna
