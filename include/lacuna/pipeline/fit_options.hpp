#pragma once

#include <string>
#include <utility>
#include <vector>

#include "lacuna/core/options.hpp"
#include "lacuna/pipeline/fit.hpp"

namespace LACUNA_API lacuna {

/// All options of a fit: of the table, the method, the maps, and every registered density family. An option
/// that several families have stands there once.
OptionTable<FitRequest> fit_options();

/// An option that somebody gave, with its texts.
struct GivenOption {
  std::string name;
  std::vector<std::string> texts;
};
/// Sets options by name: the density first, then the preset, so that every explicit option wins over it.
/// Throws Error(usage) for an unknown name, a text that is no value, and an option that the chosen family
/// does not have.
void set_options(FitRequest& request, const std::vector<GivenOption>& given);

/// What the record tells: the options that count for this request.
std::vector<std::pair<std::string, OptionValue>> recorded_options(const FitRequest& request);

} // namespace lacuna
