#include "lacuna/density/families.hpp"

#include <utility>

#include "core/archive_checks.hpp"
#include "core/nearest_name.hpp"
#include "core/registry.hpp"
#include "density/dp_mixture.hpp"
#include "density/gmm.hpp"
#include "density/kde.hpp"
#include "density/own_families.hpp"
#include "density/shaped_density.hpp"
#include "density/vb_mixture.hpp"

namespace lacuna {

namespace {

template <class Options, class Fitted>
DensityFamilyEntry own_family() {
  return density_family<Options>(
      [](const Options& options) { return std::make_shared<OwnFamily<Options>>(options); }, Fitted::load);
}

/// The one list of lacuna's own families. A new one needs its options in lacuna/density/options.hpp, a file
/// of its own and an entry here.
std::vector<DensityFamilyEntry> own_families() {
  return {own_family<VbMixtureOptions, VbMixture>(), own_family<GmmOptions, Gmm>(),
          own_family<KdeOptions, Kde>(), own_family<DpMixtureOptions, DpMixture>()};
}

Registry<DensityFamilyEntry>& families() {
  static Registry<DensityFamilyEntry> list("density family", own_families());
  return list;
}

} // namespace

DensityOptions::DensityOptions(std::string family) : family_(std::move(family)) {
  if (const auto entry = families().find(family_)) values_ = entry->defaults;
}

std::vector<std::shared_ptr<const DensityFamilyEntry>> density_families() {
  return families().all();
}

std::vector<std::string> density_family_names() {
  std::vector<std::string> names;
  for (const auto& entry : families().all()) names.push_back(entry->name);
  return names;
}

void register_density_family(DensityFamilyEntry entry) {
  if (entry.name.empty() || !entry.make || !entry.load)
    throw Error(ErrorKind::usage, "a density family needs a name, a function that makes it and one that "
                                  "loads its densities; got '" +
                                      entry.name + "' with one of them missing");
  if (entry.name == ShapedDensity::name)
    throw Error(ErrorKind::usage, "the name '" + entry.name + "' of a density family is taken");
  families().add(std::move(entry));
}

void check_options(const DensityOptions& options, OptionChecks& checks) {
  const auto entry = families().find(options.family());
  const std::string nearest = nearest_name(options.family(), density_family_names());
  checks.require(entry != nullptr, "density", "'" + options.family() + "'", "one of " + families().names(),
                 nearest.empty() ? "" : "did you mean " + nearest + "?");
  if (entry && entry->check) entry->check(options.values(), checks);
}

std::shared_ptr<const DensityFamily> make_density_family(const DensityOptions& options) {
  OptionChecks checks;
  check_options(options, checks);
  checks.throw_if_any();
  return families().find(options.family())->make(options.values());
}

bool can_load_density(const std::string& family) {
  return family == ShapedDensity::name || families().find(family) != nullptr;
}

std::shared_ptr<const Density> load_density(const Archive& archive, const std::string& prefix) {
  require_shallow(prefix);
  const std::string& name = archive.text(prefix + "family");
  if (name == ShapedDensity::name)
    return ShapedDensity::load(archive, prefix, DensityFacts::load(archive, prefix));
  const auto entry = families().find(name);
  if (!entry)
    throw Error(ErrorKind::data, "the model holds a density of family '" + shown(name) +
                                     "', which this version of lacuna does not know (it knows " +
                                     families().names() +
                                     "); update lacuna, or register the family before loading the model");
  return entry->load(archive, prefix, DensityFacts::load(archive, prefix));
}

} // namespace lacuna
