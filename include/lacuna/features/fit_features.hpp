#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "lacuna/core/device.hpp"
#include "lacuna/core/matrix.hpp"
#include "lacuna/core/observer.hpp"
#include "lacuna/core/options.hpp"
#include "lacuna/features/feature_map.hpp"
#include "lacuna/features/vae_options.hpp"

namespace LACUNA_API lacuna {

/// One map that was asked for: "standardize", "pca:20", "pca:0.95", "vae", "vae:5".
struct FeatureSpec {
  std::string kind = "standardize";
  std::string argument = {}; ///< what stands after the colon; may be empty
};
/// "none", or specs with commas between them; reading throws Error(usage) that says what is possible.
std::string to_string(const std::vector<FeatureSpec>& features);
std::vector<FeatureSpec> parse_features(const std::string& text);

/// Which maps are fitted, one after the other, and how.
struct FeatureOptions {
  std::vector<FeatureSpec> features = {FeatureSpec{}}; ///< empty: the features as they are
  VaeOptions vae;                                      ///< for all maps of that kind

  static const OptionTable<FeatureOptions>& table();
  void check_together(OptionChecks& checks) const;
  bool has(const std::string& kind) const;
};

/// What maps are fitted on, and how.
struct FeatureFitRows {
  MatrixView rows;                    ///< all rows, labeled or not, as the maps before left them
  std::span<const Index> levels = {}; ///< per column: 0 for numbers, or how many categories it numbers from 0
  std::uint64_t seed = 0;
  int threads = 0;                     ///< 0: all cores. Never changes a result on the CPU
  Device device = Device::auto_detect; ///< of a VAE
};

/// What one map is fitted on, and with.
struct FeatureFitContext : FeatureFitRows {
  const FeatureOptions& options;
  Observer& observer;
};

/// One kind of map: everything lacuna needs to fit it and to read it back.
struct FeatureMapEntry {
  std::string name;  ///< "pca": the kind of a FeatureSpec and of its FeatureMap
  std::string usage; ///< how it is asked for: "pca:N or pca:SHARE"
  /// Whether features come out that belong to no single column: such a map takes neither gaps nor numbered
  /// categories.
  bool mixes_columns = true;
  /// The argument in its one spelling, or nothing when it means nothing to this map.
  std::function<std::optional<std::string>(const std::string& argument)> read;
  std::function<std::shared_ptr<const FeatureMap>(const std::string& argument,
                                                  const FeatureFitContext& context)>
      fit;
  /// Reads what FeatureMap::save wrote under `prefix`.
  std::function<std::shared_ptr<const FeatureMap>(const Archive& archive, const std::string& prefix)> load;
};

/// All kinds of maps, lacuna's own first.
std::vector<std::shared_ptr<const FeatureMapEntry>> feature_maps();
/// The map of that kind; nothing when nobody registered it.
std::shared_ptr<const FeatureMapEntry> find_feature_map(const std::string& kind);
/// Adds a map of the user's own: from now on options and model files know its kind. Throws Error(usage) when
/// the name is empty or taken, or a function is missing. Safe to call from several threads.
void register_feature_map(FeatureMapEntry entry);
/// Whether a map mixes columns; false for a kind that nobody registered.
bool mixes_columns(const FeatureSpec& spec);

/// Fits each map on all rows, as the maps before it left them. The progress stage of a VAE starts with "vae"
/// and tells epoch, ELBO and speed. Throws Error(usage) for options outside their limits, Error(data) when a
/// map does not suit the rows.
FeatureChain fit_features(const FeatureOptions& options, const FeatureFitRows& on,
                          Observer& observer = silent_observer());

} // namespace lacuna
