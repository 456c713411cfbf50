#include <charconv>

#include <fmt/format.h>

#include "core/archive_checks.hpp"
#include "core/registry.hpp"
#include "features/pca.hpp"
#include "features/standardize.hpp"
#include "features/vae_fit.hpp"
#include "lacuna/core/errors.hpp"
#include "lacuna/features/fit_features.hpp"

namespace lacuna {

namespace {

template <class Number>
std::optional<Number> parse_number(const std::string& text) {
  Number value{};
  const char* const end = text.data() + text.size();
  const auto [stop, status] = std::from_chars(text.data(), end, value);
  if (status != std::errc{} || stop != end) return std::nullopt;
  return value;
}

FeatureMapEntry standardize_entry() {
  return {
      .name = "standardize",
      .usage = "standardize",
      .mixes_columns = false,
      .read =
          [](const std::string& argument) {
            return argument.empty() ? std::optional<std::string>("") : std::nullopt;
          },
      .fit = [](const std::string&, const FeatureFitContext& context) -> std::shared_ptr<const FeatureMap> {
        return Standardize::fit(context.rows, context.levels);
      },
      .load = Standardize::load};
}

/// "1" is one component, "1.0" the whole variance: what is written as a whole number counts components.
std::optional<std::string> read_pca(const std::string& argument) {
  if (const auto count = parse_number<Index>(argument); count && *count >= 1) return std::to_string(*count);
  const auto share = parse_number<double>(argument);
  if (!share || !(*share > 0.0 && *share <= 1.0)) return std::nullopt;
  return *share == 1.0 ? "1.0" : fmt::format("{}", *share);
}

FeatureMapEntry pca_entry() {
  return {.name = "pca",
          .usage =
              "pca:N with a number of components from 1, or pca:SHARE with a share of the variance such as "
              "0.95",
          .mixes_columns = true,
          .read = read_pca,
          .fit = [](const std::string& argument,
                    const FeatureFitContext& context) -> std::shared_ptr<const FeatureMap> {
            const std::optional<Index> count = parse_number<Index>(argument);
            return Pca::fit(context.rows, count.value_or(0), count ? 0.0 : *parse_number<double>(argument),
                            context.threads);
          },
          .load = Pca::load};
}

std::optional<std::string> read_vae(const std::string& argument) {
  if (argument.empty()) return "";
  const std::optional<Index> count = parse_number<Index>(argument);
  if (!count || *count < 1 || *count > 1000) return std::nullopt;
  return std::to_string(*count);
}

FeatureMapEntry vae_entry() {
  return {.name = "vae",
          .usage = "vae or vae:N with N from 1 to 1000",
          .mixes_columns = true,
          .read = read_vae,
          .fit = [](const std::string& argument,
                    const FeatureFitContext& context) -> std::shared_ptr<const FeatureMap> {
            VaeOptions vae = context.options.vae;
            if (const std::optional<Index> count = parse_number<Index>(argument)) vae.n_latent = *count;
            return fit_vae(vae, context, context.observer);
          },
          .load = VaeMap::load};
}

Registry<FeatureMapEntry>& maps() {
  static Registry<FeatureMapEntry> list("feature map", {standardize_entry(), pca_entry(), vae_entry()});
  return list;
}

} // namespace

std::vector<std::shared_ptr<const FeatureMapEntry>> feature_maps() {
  return maps().all();
}

void register_feature_map(FeatureMapEntry entry) {
  if (entry.name.empty() || entry.name == "none" || entry.name.find_first_of(",:") != std::string::npos ||
      !entry.read || !entry.fit || !entry.load)
    throw Error(ErrorKind::usage,
                "a feature map needs a name without commas and colons, and functions that read its argument, "
                "fit it and load it; got '" +
                    entry.name + "' with one of them missing");
  maps().add(std::move(entry));
}

std::shared_ptr<const FeatureMapEntry> find_feature_map(const std::string& kind) {
  return maps().find(kind);
}

bool mixes_columns(const FeatureSpec& spec) {
  const auto entry = maps().find(spec.kind);
  return entry && entry->mixes_columns;
}

std::shared_ptr<const FeatureMap> load_feature_map(const Archive& archive, const std::string& prefix) {
  const std::string& kind = archive.text(prefix + "kind");
  const auto entry = maps().find(kind);
  if (!entry) fail_damaged(prefix + "kind", "is '" + shown(kind) + "', expected one of " + maps().names());
  return entry->load(archive, prefix);
}

} // namespace lacuna
