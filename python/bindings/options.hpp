#pragma once

#include <string>
#include <utility>
#include <vector>

#include <pybind11/pybind11.h>

#include "lacuna/pipeline/fit.hpp"

namespace lacuna::python {

/// Options by name, each with its texts.
using OptionTexts = std::vector<std::pair<std::string, std::vector<std::string>>>;

/// A request with these options. Throws Error(usage) as set_options does.
FitRequest make_request(const OptionTexts& given);

/// The value of an option as Python has it: None where the library says 0 for a field that is empty.
pybind11::object option_value(const OptionInfo& info, const OptionValue& value);

/// How many features a VAE makes: an option of its own in Python, "vae:N" on the command line.
Option<VaeOptions> n_latent_row();

/// Recorded options by name.
pybind11::dict option_dict(const std::vector<std::pair<std::string, OptionValue>>& recorded);

} // namespace lacuna::python
