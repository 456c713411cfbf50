#include "lacuna/density/families.hpp"

#include <algorithm>
#include <mutex>
#include <utility>

#include "density/dp_mixture.hpp"
#include "density/gmm.hpp"
#include "density/kde.hpp"
#include "density/own_families.hpp"
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

/// All families; users may add to them while others read.
class FamilyList {
public:
  std::vector<DensityFamilyEntry> all() const {
    const std::scoped_lock lock(mutex_);
    return entries_;
  }

  void add(DensityFamilyEntry entry) {
    if (entry.name.empty() || !entry.make || !entry.load)
      throw Error(ErrorKind::usage, "a density family needs a name, a function that makes it and one that "
                                    "loads its densities; got '" +
                                        entry.name + "' with one of them missing");
    const std::scoped_lock lock(mutex_);
    for (const DensityFamilyEntry& known : entries_)
      if (known.name == entry.name)
        throw Error(ErrorKind::usage, "there is a density family '" + entry.name +
                                          "' already; register each once, under a name of its own");
    entries_.push_back(std::move(entry));
  }

private:
  mutable std::mutex mutex_;
  std::vector<DensityFamilyEntry> entries_ = own_families();
};

FamilyList& families() {
  static FamilyList list;
  return list;
}

/// The entry of that name; one without a name when there is none.
DensityFamilyEntry find_family(const std::string& name) {
  for (DensityFamilyEntry& entry : families().all())
    if (entry.name == name) return std::move(entry);
  return {};
}

std::string known_names() {
  std::string text;
  for (const std::string& name : density_family_names()) text += (text.empty() ? "" : ", ") + name;
  return text;
}

} // namespace

DensityOptions::DensityOptions(std::string family)
    : family_(std::move(family)), values_(find_family(family_).defaults) {}

std::vector<DensityFamilyEntry> density_families() {
  return families().all();
}

std::vector<std::string> density_family_names() {
  std::vector<std::string> names;
  for (const DensityFamilyEntry& entry : families().all()) names.push_back(entry.name);
  return names;
}

void register_density_family(DensityFamilyEntry entry) {
  families().add(std::move(entry));
}

void check_options(const DensityOptions& options, OptionChecks& checks) {
  const DensityFamilyEntry entry = find_family(options.family());
  checks.require(!entry.name.empty(), "density", "'" + options.family() + "'", "one of " + known_names());
  if (entry.check) entry.check(options.values(), checks);
}

std::shared_ptr<const DensityFamily> make_density_family(const DensityOptions& options) {
  OptionChecks checks;
  check_options(options, checks);
  checks.throw_if_any();
  return find_family(options.family()).make(options.values());
}

std::shared_ptr<const Density> load_density(const Archive& archive, const std::string& prefix) {
  const std::string& name = archive.text(prefix + "family");
  const DensityFamilyEntry entry = find_family(name);
  if (!entry.load)
    throw Error(ErrorKind::data, "the model holds a density of family '" + name +
                                     "', which this version of lacuna does not know (it knows " +
                                     known_names() +
                                     "); update lacuna, or register the family before loading the model");
  return entry.load(archive, prefix, DensityFacts::load(archive, prefix));
}

} // namespace lacuna
