#pragma once

#include <array>

#include "lacuna/core/options.hpp"

namespace LACUNA_API lacuna {

/// Where heavy work runs; auto_detect takes a GPU when there is one.
enum class Device { auto_detect, cpu, cuda };
constexpr auto choice_names(Device) {
  return std::array{ChoiceName{Device::auto_detect, "auto"}, ChoiceName{Device::cpu, "cpu"},
                    ChoiceName{Device::cuda, "cuda"}};
}

} // namespace lacuna
