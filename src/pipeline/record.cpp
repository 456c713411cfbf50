#include "pipeline/record.hpp"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "lacuna/core/version.hpp"
#include "lacuna/pipeline/settings.hpp"

namespace lacuna {

namespace {

using Json = nlohmann::ordered_json;

// Class and column names may come in any encoding, JSON wants UTF-8. Numbers that are not finite become null.
std::string dump(const Json& document) {
  return document.dump(2, ' ', false, Json::error_handler_t::replace);
}

Json options_json(const FitRequest& request) {
  const auto is_vae = [](const FeatureSpec& map) { return map.kind == FeatureSpec::Kind::vae; };
  const bool has_vae = std::any_of(request.features.maps.begin(), request.features.maps.end(), is_vae);
  Json options = Json::object();
  for (const FitSetting& setting : fit_settings())
    if (setting.json && (has_vae || setting.group != vae_setting_group) && setting.applies_to(request))
      options[setting.name] = Json::parse(setting.json(request));
  return options;
}

Json density_json(const DensityRecord& density) {
  return {{"name", density.name},
          {"n_rows", density.n_rows},
          {"n_components", density.n_components},
          {"n_iterations", density.n_iterations},
          {"objective", density.objective},
          {"stop_reason", to_string(density.stop_reason)},
          {"measures", density.measures}};
}

Json summary_json(const FitSummary& summary, const std::vector<std::string>& classes) {
  Json counts = Json::object();
  for (std::size_t y = 0; y < classes.size(); ++y)
    counts[classes[y]] = y < summary.class_counts.size() ? summary.class_counts[y] : 0;
  Json densities = Json::array();
  for (const DensityRecord& density : summary.densities) densities.push_back(density_json(density));
  return {{"n_labeled", summary.n_labeled},
          {"n_unlabeled", summary.n_unlabeled},
          {"class_counts", counts},
          {"kappa", summary.kappa},
          {"n_informative", summary.n_informative},
          {"informative_share", summary.informative_share},
          {"informative_weight", summary.informative_weight},
          {"draw_spread", summary.draw_spread},
          {"n_em_iterations", summary.n_em_iterations},
          {"stop_reason", to_string(summary.stop_reason)},
          {"densities", densities}};
}

} // namespace

std::string make_record(const FitRequest& request, const TrainingTable& table, const FitSummary& summary) {
  const Json record = {{"version", version()},
                       {"seed", request.learning.seed},
                       {"options", options_json(request)},
                       {"classes", table.data.class_names},
                       {"features", table.schema.feature_names()},
                       {"model_features", table.data.feature_names},
                       {"summary", summary_json(summary, table.data.class_names)},
                       {"notes", table.notes}};
  return dump(record);
}

std::string fit_json(const FitOutcome& outcome, double seconds) {
  Json document = Json::parse(outcome.model.record);
  document["seconds"] = seconds;
  return dump(document) + "\n";
}

} // namespace lacuna
