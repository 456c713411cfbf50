#include "lacuna/features/fit_features.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "lacuna/core/errors.hpp"
#include "lacuna/data/dataset.hpp"

namespace lacuna {

namespace {

std::optional<FeatureSpec> parse_one(const std::string& text) {
  const std::size_t colon = text.find(':');
  FeatureSpec spec{text.substr(0, colon), ""};
  const bool has_argument = colon != std::string::npos;
  const auto entry = find_feature_map(spec.kind);
  if (!entry || (has_argument && colon + 1 == text.size())) return std::nullopt;
  const std::optional<std::string> argument = entry->read(has_argument ? text.substr(colon + 1) : "");
  if (!argument) return std::nullopt;
  spec.argument = *argument;
  return spec;
}

std::optional<std::vector<FeatureSpec>> read_features(const std::string& text) {
  std::vector<FeatureSpec> features;
  if (text == "none") return features;
  std::size_t start = 0;
  for (;;) {
    const std::size_t comma = text.find(',', start);
    const std::optional<FeatureSpec> spec = parse_one(text.substr(start, comma - start));
    if (!spec) return std::nullopt;
    features.push_back(*spec);
    if (comma == std::string::npos) return features;
    start = comma + 1;
  }
}

bool can_be_read(const std::vector<FeatureSpec>& features) {
  return std::all_of(features.begin(), features.end(), [](const FeatureSpec& spec) {
    const auto entry = find_feature_map(spec.kind);
    return entry && entry->read(spec.argument).has_value();
  });
}

std::string usages() {
  std::string text = "none, or with commas between them:";
  const char* separator = " ";
  for (const auto& entry : feature_maps()) {
    text += separator + entry->usage;
    separator = "; ";
  }
  return text;
}

void require_plain_numbers(MatrixView rows, std::span<const Index> levels, const std::string& kind) {
  for (std::size_t j = 0; j < levels.size(); ++j)
    if (levels[j] != 0)
      throw Error(
          ErrorKind::data,
          fmt::format("features: column {} holds the numbers of categories, which {} cannot take; give "
                      "each category a column of zeros and ones",
                      j + 1, kind));
  require_complete(rows, {}, 0, kind);
}

} // namespace

std::string to_string(const std::vector<FeatureSpec>& features) {
  if (features.empty()) return "none";
  std::string text;
  for (const FeatureSpec& spec : features)
    text += (text.empty() ? "" : ",") + spec.kind + (spec.argument.empty() ? "" : ":" + spec.argument);
  return text;
}

std::vector<FeatureSpec> parse_features(const std::string& text) {
  FeatureOptions options;
  FeatureOptions::table().front().set(options, {text});
  return options.features;
}

const OptionTable<FeatureOptions>& FeatureOptions::table() {
  using O = FeatureOptions;
  static const OptionTable<O> rows = [] {
    OptionTable<O> all{
        option<O, std::vector<FeatureSpec>>(
            "features", &O::features, "MAPS",
            "Maps before the densities: none, or any of standardize, pca:N, pca:SHARE and vae:N "
            "with commas between them; lacuna's own densities do a last standardize themselves",
            usages(), read_features, [](const std::vector<FeatureSpec>& maps) { return to_string(maps); },
            can_be_read)
            .in_group("Features")};
    for (Option<O>& row : rows_of(&O::vae)) {
      row.group = "VAE (" + mention("features") + " vae)";
      row.feature_map = "vae";
      all.push_back(std::move(row));
    }
    return all;
  }();
  return rows;
}

void FeatureOptions::check_together(OptionChecks& checks) const {
  if (has("vae")) vae.check_together(checks);
}

bool FeatureOptions::has(const std::string& kind) const {
  return std::any_of(features.begin(), features.end(),
                     [&](const FeatureSpec& spec) { return spec.kind == kind; });
}

FeatureChain fit_features(const FeatureOptions& options, const FeatureFitRows& on, Observer& observer) {
  check_options(options);
  FeatureFitContext context{on, options, observer};
  if (!options.features.empty() && (on.rows.n_rows < 1 || on.rows.n_cols < 1))
    throw Error(ErrorKind::data, "features: there are no rows or no columns to fit them on");
  std::vector<std::shared_ptr<const FeatureMap>> maps;
  Matrix current;
  for (const FeatureSpec& spec : options.features) {
    stop_if_cancelled(observer);
    if (!maps.empty()) {
      Matrix next;
      maps.back()->apply(context.rows, {.threads = on.threads}, next);
      current = std::move(next);
      context.rows = current.view();
    }
    const auto entry = find_feature_map(spec.kind);
    if (entry->mixes_columns) require_plain_numbers(context.rows, on.levels, spec.kind);
    maps.push_back(entry->fit(spec.argument, context));
  }
  return FeatureChain(std::move(maps));
}

} // namespace lacuna
