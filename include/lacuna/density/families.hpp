#pragma once

#include <any>
#include <concepts>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "lacuna/core/options.hpp"
#include "lacuna/density/density.hpp"
#include "lacuna/density/options.hpp"

namespace LACUNA_API lacuna {

/// A struct of options that says which density family they are of: `static constexpr const char* family`.
template <class Options>
concept FamilyOptions = HasOptionTable<Options> && requires {
  { Options::family } -> std::convertible_to<std::string>;
};

/// A density family and its options, as one value: `options.density = GmmOptions{.components = 3}`, or just
/// `options.density = "kde"` for its defaults.
class DensityOptions {
public:
  DensityOptions() : DensityOptions(VbMixtureOptions{}) {}
  // Implicit, all of them: who takes density options takes a family's own or its name.
  DensityOptions(std::string family); // NOLINT(google-explicit-constructor)
  DensityOptions(const char* family)  // NOLINT(google-explicit-constructor)
      : DensityOptions(std::string(family)) {}
  template <FamilyOptions Options>
  DensityOptions(Options options) // NOLINT(google-explicit-constructor)
      : family_(Options::family), values_(std::move(options)) {}

  const std::string& family() const { return family_; }
  /// The options when they are of this type; otherwise null.
  template <FamilyOptions Options>
  const Options* as() const {
    return std::any_cast<Options>(&values_);
  }
  template <FamilyOptions Options>
  Options* as() {
    return std::any_cast<Options>(&values_);
  }

  /// The family's struct of options; empty when no family of that name is registered.
  const std::any& values() const { return values_; }
  std::any& values() { return values_; }

private:
  std::string family_;
  std::any values_;
};

/// Makes a density of facts that were read already, and of what its save_parts wrote under `prefix`.
using DensityLoader = std::function<std::shared_ptr<const Density>(
    const Archive& archive, const std::string& prefix, DensityFacts facts)>;

/// One family under its name: everything lacuna needs to fit its densities and to read them back.
struct DensityFamilyEntry {
  std::string name;
  std::any defaults;             ///< its struct of options
  OptionTable<std::any> options; ///< the rows of that struct's table
  std::function<void(const std::any& options, OptionChecks& checks)> check;
  std::function<std::shared_ptr<const DensityFamily>(const std::any& options)> make;
  DensityLoader load;
};

/// An entry for a family with options of its own: from their table come flags, checks and the record.
template <FamilyOptions Options>
DensityFamilyEntry
density_family(std::function<std::shared_ptr<const DensityFamily>(const Options& options)> make,
               DensityLoader load) {
  DensityFamilyEntry entry;
  entry.name = Options::family;
  entry.defaults = Options{};
  static const OptionTable<Options>& table = Options::table();
  for (const Option<Options>& own : table) {
    Option<std::any> row;
    static_cast<OptionInfo&>(row) = own;
    row.families = {entry.name};
    row.set = [&own](std::any& options, const std::vector<std::string>& texts) {
      own.set(std::any_cast<Options&>(options), texts);
    };
    row.get = [&own](const std::any& options) { return own.get(std::any_cast<const Options&>(options)); };
    row.check = [&own](const std::any& options, OptionChecks& checks) {
      own.check(std::any_cast<const Options&>(options), checks);
    };
    entry.options.push_back(std::move(row));
  }
  entry.check = [](const std::any& options, OptionChecks& checks) {
    check_options(std::any_cast<const Options&>(options), checks);
  };
  if (make)
    entry.make = [make](const std::any& options) { return make(std::any_cast<const Options&>(options)); };
  entry.load = std::move(load);
  return entry;
}

/// All families, lacuna's own first.
std::vector<std::shared_ptr<const DensityFamilyEntry>> density_families();
std::vector<std::string> density_family_names();

/// Whether load_density reads densities of that family.
bool can_load_density(const std::string& family);

/// Adds a family of the user's own: from now on options, flags and load_density know it. Throws Error(usage)
/// when the name is empty or taken, or when it cannot be made or loaded. Safe to call from several threads.
void register_density_family(DensityFamilyEntry entry);

/// Notes an unknown family, or options of the family that are outside their limits.
void check_options(const DensityOptions& options, OptionChecks& checks);

/// The family with its options. Throws Error(usage) as check_options does.
std::shared_ptr<const DensityFamily> make_density_family(const DensityOptions& options);

} // namespace lacuna
