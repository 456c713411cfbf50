#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "lacuna/core/errors.hpp"
#include "lacuna/density/density.hpp"
#include "lacuna/density/dp_mixture_options.hpp"
#include "lacuna/density/gmm_options.hpp"
#include "lacuna/density/kde_options.hpp"
#include "lacuna/density/vb_mixture_options.hpp"

namespace lacuna {

/// Which family of densities, and the options of each. Only those of the chosen family count.
struct DensityOptions {
  std::string density = "vb-gmm"; ///< the family's name
  VbMixtureOptions vb_mixture;
  GmmOptions gmm;
  KdeOptions kde;
  DpMixtureOptions dp_mixture;
};

/// One family under its name: everything lacuna needs to fit its densities and to read them back.
struct DensityFamilyEntry {
  std::string name;
  std::function<std::shared_ptr<const DensityFamily>(const DensityOptions& options)> make;
  /// Makes a density of facts that were read already, and of what its save_parts wrote under `prefix`.
  std::function<std::shared_ptr<const Density>(const Archive& archive, const std::string& prefix,
                                               DensityFacts facts)>
      load;
  /// Notes options outside their limits; may be empty.
  std::function<void(const DensityOptions& options, OptionChecks& checks)> check;
};

/// The names of all families, lacuna's own first.
std::vector<std::string> density_family_names();

/// Adds a family of the user's own: from now on options and load_density know its name. Throws Error(usage)
/// when the name is empty or taken, or when it cannot be made or loaded. Safe to call from several threads.
void register_density_family(DensityFamilyEntry entry);

/// The family that options.density names, with its options. Throws Error(usage) when there is none.
std::shared_ptr<const DensityFamily> make_density_family(const DensityOptions& options);

/// Notes an unknown family, or the options of the chosen one that are outside their limits.
void check_options(const DensityOptions& options, OptionChecks& checks);

} // namespace lacuna
