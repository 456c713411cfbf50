#include "lacuna/pipeline/settings.hpp"

#include <algorithm>
#include <charconv>
#include <concepts>
#include <cstdint>

#include <nlohmann/json.hpp>

#include "lacuna/core/errors.hpp"

namespace lacuna {

namespace {

using Kind = FitSetting::Kind;
using Texts = std::vector<std::string>;

// The whole text must be the number, never a part of it.
template <typename Number>
Number parse_whole_text(const std::string& setting, const std::string& text, const char* expected) {
  Number value{};
  const char* end = text.data() + text.size();
  const auto [stop, status] = std::from_chars(text.data(), end, value);
  if (status != std::errc{} || stop != end)
    throw Error(ErrorKind::usage, setting + ": got '" + text + "', expected " + expected);
  return value;
}

// Names may come from files in any encoding; JSON wants UTF-8.
std::string dump(const nlohmann::json& value) {
  return value.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

bool parse_flag(const std::string& setting, const std::string& text) {
  if (text == "true") return true;
  if (text == "false") return false;
  throw Error(ErrorKind::usage, setting + ": got '" + text + "', expected true or false");
}

// `field` maps a request to a reference to one of its members; it serves both set (mutable) and json (const).
template <typename Field>
FitSetting setting(const std::string& name, const std::string& group, const std::string& value_name,
                   const std::string& help, Field field) {
  using Value = std::remove_reference_t<decltype(field(std::declval<FitRequest&>()))>;
  FitSetting result{name, group, value_name, help, Kind::value, nullptr, nullptr};
  if constexpr (std::same_as<Value, bool>) result.kind = Kind::flag;
  if constexpr (std::same_as<Value, Texts>) result.kind = Kind::list;
  result.set = [name, field](FitRequest& request, const Texts& texts) {
    Value& value = field(request);
    if constexpr (std::same_as<Value, Texts>)
      value = texts;
    else if constexpr (std::same_as<Value, bool>)
      value = parse_flag(name, texts.at(0));
    else if constexpr (std::same_as<Value, std::string>)
      value = texts.at(0);
    else if constexpr (std::same_as<Value, double>)
      value = parse_whole_text<double>(name, texts.at(0), "a number");
    else
      value = parse_whole_text<Value>(name, texts.at(0), "a whole number");
  };
  result.json = [field](const FitRequest& request) { return dump(field(request)); };
  return result;
}

// The same for a field whose words only its own parser knows.
template <typename Field, typename Parse>
FitSetting choice(const std::string& name, const std::string& group, const std::string& value_name,
                  const std::string& help, Field field, Parse parse) {
  FitSetting result{name, group, value_name, help, Kind::value, nullptr, nullptr};
  result.set = [field, parse](FitRequest& request, const Texts& texts) {
    field(request) = parse(texts.at(0));
  };
  result.json = [field](const FitRequest& request) { return dump(to_string(field(request))); };
  return result;
}

void set_preset(FitRequest& request, const Texts& texts) {
  if (texts.at(0) != "paper")
    throw Error(ErrorKind::usage, "preset: got '" + texts.at(0) + "', expected paper");
  apply_paper_preset(request.learning);
}

void add_data_settings(std::vector<FitSetting>& all) {
  const std::string group = "Data";
  all.push_back(setting(
      "label", group, "COLUMN", "Column with the labels; an empty cell is a missing label",
      [](auto& request) -> auto& { return request.label_column; }));
  all.push_back(setting(
      "labels", group, "FILE", "File with one label per row, instead of --label",
      [](auto& request) -> auto& { return request.table.labels; }));
  all.back().json = nullptr; // where files lie says nothing about the model
  all.push_back(setting(
      "classes", group, "A,B,...",
      "Classes that may have no labeled row; those found in the labels are added",
      [](auto& request) -> auto& { return request.classes; }));
  all.push_back(setting(
      "missing-label", group, "TOKEN",
      "One more token for a missing label, beside the empty cell, NA, NaN and ?",
      [](auto& request) -> auto& { return request.table.missing_label; }));
  all.push_back(setting(
      "drop", group, "A,B,...", "Columns that are not features",
      [](auto& request) -> auto& { return request.table.drop; }));
  all.push_back(setting(
      "categorical", group, "A,B,...", "Columns that hold categories although they look like numbers",
      [](auto& request) -> auto& { return request.table.categorical; }));
  all.push_back({"no-header", group, "", "The first line is data; the columns are called c0, c1, ...",
                 Kind::flag,
                 [](FitRequest& request, const Texts& texts) {
                   request.table.no_header = parse_flag("no-header", texts.at(0));
                 },
                 [](const FitRequest& request) { return dump(request.table.no_header); }});
}

void add_method_settings(std::vector<FitSetting>& all) {
  const std::string group = "Method";
  all.push_back(choice(
      "method", group, "NAME", "mar, mcar-sampling, mcar-em or supervised",
      [](auto& request) -> auto& { return request.learning.method; }, parse_method));
  all.push_back(choice(
      "kappa", group, "X",
      "Threshold of the informative region: a number, or auto:ALPHA to call at most a share "
      "ALPHA of rows like the labeled ones uninformative",
      [](auto& request) -> auto& { return request.learning.kappa; }, parse_kappa));
  all.push_back(choice(
      "posterior", group, "FORM", "joint (exact) or product (as in the paper)",
      [](auto& request) -> auto& { return request.learning.posterior; }, parse_posterior));
  all.push_back(choice(
      "draws", group, "M",
      "Fill missing labels with M random draws, averaged, or 'soft': their probabilities",
      [](auto& request) -> auto& { return request.learning.draws; }, parse_draws));
  all.push_back(setting(
      "folds", group, "N", "Folds of the cross-fit for --kappa auto",
      [](auto& request) -> auto& { return request.learning.n_folds; }));
  all.push_back(setting(
      "max-em-iterations", group, "N", "mcar-em: most rounds of filling and fitting",
      [](auto& request) -> auto& { return request.learning.max_em_iterations; }));
  all.push_back(setting(
      "em-tolerance", group, "X",
      "mcar-em: converged when the log likelihood changes by less than this per row",
      [](auto& request) -> auto& { return request.learning.em_tolerance; }));
}

// Adds settings that only some families have; the help says which.
void add_for_families(std::vector<FitSetting>& all, const Texts& families, std::vector<FitSetting> settings) {
  std::string names;
  for (const std::string& family : families) names += (names.empty() ? "" : ", ") + family;
  for (FitSetting& added : settings) {
    added.help = names + ": " + added.help;
    added.families = families;
    all.push_back(std::move(added));
  }
}

// A setting that both kinds of mixture have: `field` maps the options of either to one of their members.
template <typename Field, typename... Parse>
FitSetting mixture_setting(const std::string& name, const std::string& value_name, const std::string& help,
                           Field field, Parse... parse) {
  const auto of = [&](auto request_field) {
    if constexpr (sizeof...(parse) > 0)
      return choice(name, "Density", value_name, help, request_field, parse...);
    else
      return setting(name, "Density", value_name, help, request_field);
  };
  const FitSetting of_vb_mixture =
      of([field](auto& request) -> auto& { return field(request.learning.vb_mixture); });
  const FitSetting of_gmm = of([field](auto& request) -> auto& { return field(request.learning.gmm); });
  FitSetting result = of_vb_mixture;
  result.set = [of_vb_mixture, of_gmm](FitRequest& request, const Texts& texts) {
    of_vb_mixture.set(request, texts);
    of_gmm.set(request, texts);
  };
  result.json = [of_vb_mixture, of_gmm](const FitRequest& request) {
    return request.learning.density == "gmm" ? of_gmm.json(request) : of_vb_mixture.json(request);
  };
  return result;
}

// A number, or the word for as many as the evidence favours.
FitSetting components_setting() {
  FitSetting result = mixture_setting(
      "components", "K",
      "Most components, of which vb-gmm switches unneeded ones off; auto lets it look for as many as it "
      "needs",
      [](auto& mixture) -> auto& { return mixture.n_components; });
  const auto set_number = result.set;
  const auto number_json = result.json;
  result.set = [set_number](FitRequest& request, const Texts& texts) {
    const std::string number = std::to_string(auto_components);
    if (texts.at(0) == number)
      throw Error(ErrorKind::usage, "components: got '" + number + "', expected at least 1, or auto");
    set_number(request, {texts.at(0) == "auto" ? number : texts.at(0)});
  };
  result.json = [number_json](const FitRequest& request) {
    const std::string number = number_json(request);
    return number == std::to_string(auto_components) ? dump("auto") : number;
  };
  return result;
}

void add_mixture_settings(std::vector<FitSetting>& all) {
  add_for_families(
      all, {"vb-gmm", "gmm"},
      {components_setting(),
       mixture_setting(
           "covariance", "TYPE", "full, tied, diagonal or spherical",
           [](auto& mixture) -> auto& { return mixture.covariance; }, parse_covariance),
       mixture_setting(
           "restarts", "N", "Starts per density; the best is kept",
           [](auto& mixture) -> auto& { return mixture.n_restarts; }),
       mixture_setting(
           "max-iterations", "N", "Most iterations per start",
           [](auto& mixture) -> auto& { return mixture.max_iterations; }),
       mixture_setting(
           "tolerance", "X", "Converged when the objective changes by less than this share of itself",
           [](auto& mixture) -> auto& { return mixture.tolerance; })});
  add_for_families(all, {"gmm"},
                   {setting(
                       "covariance-floor", "Density", "X",
                       "Least variance of a component, relative to the data's variance",
                       [](auto& request) -> auto& { return request.learning.gmm.covariance_floor; })});
}

void add_vb_mixture_settings(std::vector<FitSetting>& all) {
  const std::string group = "Density";
  add_for_families(
      all, {"vb-gmm"},
      {choice(
           "weight-prior", group, "PRIOR", "dirichlet or stick-breaking",
           [](auto& request) -> auto& { return request.learning.vb_mixture.weight_prior; },
           parse_weight_prior),
       choice(
           "density-form", group, "FORM", "predictive, plug-in or expected-log",
           [](auto& request) -> auto& { return request.learning.vb_mixture.density_form; },
           parse_density_form),
       setting(
           "weight-concentration", group, "X", "Prior of the mixing weights; 0 lets it follow --components",
           [](auto& request) -> auto& { return request.learning.vb_mixture.weight_concentration; }),
       setting(
           "mean-precision", group, "X", "Rows of prior evidence for a component's mean",
           [](auto& request) -> auto& { return request.learning.vb_mixture.mean_precision; }),
       setting(
           "degrees-of-freedom", group, "X", "Of the Wishart prior; 0 stands for the number of features",
           [](auto& request) -> auto& { return request.learning.vb_mixture.degrees_of_freedom; }),
       setting(
           "covariance-scale", group, "X", "Prior scatter of a component, relative to the data's variance",
           [](auto& request) -> auto& { return request.learning.vb_mixture.covariance_scale; }),
       setting(
           "category-concentration", group, "X", "Prior rows of each category in a component",
           [](auto& request) -> auto& { return request.learning.vb_mixture.category_concentration; }),
       setting(
           "own-covariance", group, "",
           "Prior scatter from the rows' own covariance alone; else few rows borrow from all",
           [](auto& request) -> auto& { return request.learning.vb_mixture.own_covariance; })});
}

void add_dp_mixture_settings(std::vector<FitSetting>& all) {
  const std::string group = "Density";
  add_for_families(
      all, {"dp-gmm"},
      {setting(
           "dp-iterations", group, "N", "Iterations of the Markov chain, the burn-in included",
           [](auto& request) -> auto& { return request.learning.dp_mixture.dp_iterations; }),
       setting(
           "dp-burn-in", group, "N", "First iterations that count for nothing",
           [](auto& request) -> auto& { return request.learning.dp_mixture.dp_burn_in; }),
       setting(
           "dp-draws", group, "N", "Later iterations, evenly spaced, that the density is averaged over",
           [](auto& request) -> auto& { return request.learning.dp_mixture.dp_draws; }),
       setting(
           "dp-separation", group, "X", "Expected distance of two clusters, in standard deviations of one",
           [](auto& request) -> auto& { return request.learning.dp_mixture.dp_separation; }),
       setting(
           "dp-concentration", group, "X", "Prior mean of the concentration; larger means more clusters",
           [](auto& request) -> auto& { return request.learning.dp_mixture.dp_concentration; })});
}

void add_density_settings(std::vector<FitSetting>& all) {
  std::string names;
  for (const std::string& name : density_family_names()) names += (names.empty() ? "" : ", ") + name;
  all.push_back(setting(
      "density", "Density", "FAMILY", "Density family, one of " + names,
      [](auto& request) -> auto& { return request.learning.density; }));
  add_mixture_settings(all);
  add_vb_mixture_settings(all);
  add_for_families(
      all, {"kde"},
      {choice(
           "kde-bandwidth", "Density", "RULE",
           "Width of the kernels: likelihood (leave-one-out), silverman or scott",
           [](auto& request) -> auto& { return request.learning.kde.kde_bandwidth; }, parse_kde_bandwidth),
       setting(
           "kde-tolerance", "Density", "X", "Largest relative error of a density; 0 for exact sums",
           [](auto& request) -> auto& { return request.learning.kde.kde_tolerance; })});
  add_dp_mixture_settings(all);
}

// Whole numbers with commas between them, such as the widths of layers.
template <typename Field>
FitSetting sizes(std::string name, std::string value_name, std::string help, Field field) {
  FitSetting result{name, vae_setting_group, value_name, help, Kind::list, nullptr, nullptr};
  result.set = [name, field](FitRequest& request, const Texts& texts) {
    std::vector<Index> values;
    for (const std::string& text : texts)
      values.push_back(parse_whole_text<Index>(name, text, "whole numbers"));
    field(request) = std::move(values);
  };
  result.json = [field](const FitRequest& request) { return dump(field(request)); };
  return result;
}

void add_network_settings(std::vector<FitSetting>& all) {
  const std::string group = vae_setting_group;
  all.push_back(choice(
      "encoding", group, "FORM", "mean, or sample: a draw, the same for a seed and a row number",
      [](auto& request) -> auto& { return request.features.vae.encoding; }, parse_vae_encoding));
  all.push_back(choice(
      "vae-architecture", group, "NAME", "mlp, or conv for images",
      [](auto& request) -> auto& { return request.features.vae.architecture; }, parse_vae_architecture));
  all.push_back(sizes(
      "vae-hidden", "N,N,...", "Widths of the encoder's dense layers (512,256)",
      [](auto& request) -> auto& { return request.features.vae.hidden; }));
  all.push_back(sizes(
      "vae-decoder-hidden", "N,N,...", "The decoder's; the encoder's reversed when not given",
      [](auto& request) -> auto& { return request.features.vae.decoder_hidden; }));
  all.push_back(sizes(
      "vae-channels", "N,N,...", "conv: channels of each stage, which halves the sides (32,64)",
      [](auto& request) -> auto& { return request.features.vae.channels; }));
  all.push_back(setting(
      "vae-image-height", group, "N", "conv: rows of an image; 0 for square ones",
      [](auto& request) -> auto& { return request.features.vae.image_height; }));
  all.push_back(setting(
      "vae-image-width", group, "N", "conv: pixels in a row of an image; 0 for square ones",
      [](auto& request) -> auto& { return request.features.vae.image_width; }));
  all.push_back(choice(
      "vae-activation", group, "NAME", "relu, tanh or sigmoid",
      [](auto& request) -> auto& { return request.features.vae.activation; }, parse_vae_activation));
  all.push_back(choice(
      "vae-likelihood", group, "NAME", "bernoulli, for values from 0 to a maximum, or gaussian",
      [](auto& request) -> auto& { return request.features.vae.likelihood; }, parse_vae_likelihood));
}

void add_training_settings(std::vector<FitSetting>& all) {
  const std::string group = vae_setting_group;
  all.push_back(setting(
      "vae-epochs", group, "N", "Passes over the rows",
      [](auto& request) -> auto& { return request.features.vae.epochs; }));
  all.push_back(setting(
      "vae-batch", group, "N", "Rows per step",
      [](auto& request) -> auto& { return request.features.vae.batch_size; }));
  all.push_back(setting(
      "vae-learning-rate", group, "X", "Of Adam",
      [](auto& request) -> auto& { return request.features.vae.learning_rate; }));
  all.push_back(choice(
      "vae-schedule", group, "NAME", "Of the learning rate: constant or cosine",
      [](auto& request) -> auto& { return request.features.vae.schedule; }, parse_vae_schedule));
  all.push_back(setting(
      "vae-kl-warmup", group, "N", "Epochs over which the KL term's weight grows to 1",
      [](auto& request) -> auto& { return request.features.vae.kl_warmup_epochs; }));
  all.push_back(setting(
      "vae-patience", group, "N", "Stop after N epochs without a better held-out ELBO; 0: never",
      [](auto& request) -> auto& { return request.features.vae.patience; }));
  all.push_back(setting(
      "vae-validation", group, "X", "Share of the rows held out for --vae-patience",
      [](auto& request) -> auto& { return request.features.vae.validation_share; }));
  all.push_back(choice(
      "device", group, "NAME", "Where it is trained: auto, cpu or cuda",
      [](auto& request) -> auto& { return request.features.vae.device; }, parse_vae_device));
  all.push_back(setting(
      "vae-checkpoint", group, "FILE",
      "Where an interrupted training is kept; MODEL.checkpoint when not given",
      [](auto& request) -> auto& { return request.features.vae.checkpoint; }));
  all.back().json = nullptr; // where files lie says nothing about the model
  all.push_back(setting(
      "vae-checkpoint-every", group, "N", "Epochs between checkpoints",
      [](auto& request) -> auto& { return request.features.vae.checkpoint_every; }));
  all.back().json = nullptr; // nor how often they are written
}

std::vector<FitSetting> make_settings() {
  std::vector<FitSetting> all;
  all.push_back({"preset", "Method", "NAME",
                 "paper: settings as in the paper's experiments; explicit options win over it", Kind::value,
                 set_preset, nullptr});
  add_method_settings(all);
  add_data_settings(all);
  all.push_back(choice(
      "features", "Features", "MAPS",
      "none, or any of standardize, pca:N, pca:SHARE and vae:N with commas between them; lacuna's own "
      "densities do a "
      "last standardize themselves",
      [](auto& request) -> auto& { return request.features.maps; }, parse_features));
  add_density_settings(all);
  add_network_settings(all);
  add_training_settings(all);
  all.push_back(setting(
      "seed", "Run", "N", "Seed of everything random; one seed, one result",
      [](auto& request) -> auto& { return request.learning.seed; }));
  all.push_back(setting(
      "threads", "Run", "T", "Threads, 0 for all cores; never changes a result [0]",
      [](auto& request) -> auto& { return request.learning.threads; }));
  all.back().json = nullptr; // the same model for any number of threads
  return all;
}

} // namespace

bool FitSetting::applies_to(const FitRequest& request) const {
  return families.empty() ||
         std::find(families.begin(), families.end(), request.learning.density) != families.end();
}

void FitSetting::require_family(const FitRequest& request) const {
  const std::vector<std::string> known = density_family_names();
  const std::string& family = request.learning.density;
  if (std::find(known.begin(), known.end(), family) == known.end() || applies_to(request)) return;
  std::string expected;
  for (const std::string& with_it : families) expected += (expected.empty() ? "" : " or ") + with_it;
  throw Error(ErrorKind::usage, name + ": density family " + family +
                                    " has no such option; leave it out, or choose --density " + expected);
}

const std::vector<FitSetting>& fit_settings() {
  static const std::vector<FitSetting> settings = make_settings();
  return settings;
}

std::vector<std::string> split_list(const std::string& setting, const std::string& text) {
  std::vector<std::string> names(1);
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool doubled = quoted && text[i] == '"' && i + 1 < text.size() && text[i + 1] == '"';
    if (doubled)
      names.back() += text[i++];
    else if (text[i] == '"')
      quoted = !quoted;
    else if (text[i] == ',' && !quoted)
      names.emplace_back();
    else
      names.back() += text[i];
  }
  if (quoted)
    throw Error(ErrorKind::usage, setting + ": got '" + text + "', expected a closing double quote");
  return names;
}

} // namespace lacuna
