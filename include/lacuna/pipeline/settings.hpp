#pragma once

#include <functional>
#include <string>
#include <vector>

#include "lacuna/pipeline/workflows.hpp"

namespace lacuna {

/// One setting of a fit, described once: command line, configuration file, help and the record inside a model
/// are all made from this table, so that they cannot drift apart.
struct FitSetting {
  enum class Kind { flag, value, list };

  std::string name;  ///< "max-iterations": the option --max-iterations and the key of a configuration file
  std::string group; ///< its heading in the help
  std::string value_name; ///< "N" in "--max-iterations N"; empty for a flag
  std::string help;
  Kind kind = Kind::value;
  /// Takes "true" or "false" for a flag, one text for a value, any number for a list. Throws
  /// Error(usage) that begins with the name.
  std::function<void(FitRequest&, const std::vector<std::string>&)> set;
  /// The value as JSON; null for what is not part of the record of a fit.
  std::function<std::string(const FitRequest&)> json;
  /// The density families that have it, when not all do.
  std::vector<std::string> families = {};

  /// Whether the family that `request` chose has this setting.
  bool applies_to(const FitRequest& request) const;
  /// Throws Error(usage) when it does not: an option of another family would do nothing, which is not what
  /// the user expects of it. An unknown family is left to check_options.
  void require_family(const FitRequest& request) const;
};

/// The heading of the settings that only a VAE has.
inline constexpr const char* vae_setting_group = "VAE (--features vae)";

/// All settings, in the order in which they are to be applied: the preset comes first, so that every explicit
/// setting wins over it.
const std::vector<FitSetting>& fit_settings();

/// Splits "a,b,c" at its commas; a name that holds a comma stands in double quotes, as in CSV.
/// Throws Error(usage) that begins with `setting` when a quote is left open.
std::vector<std::string> split_list(const std::string& setting, const std::string& text);

} // namespace lacuna
