#pragma once

#include <string>
#include <string_view>

#include "lacuna/pipeline/model.hpp"

namespace lacuna {

/// The record as the JSON that model files and documents hold.
std::string record_json(const FitRecord& record);
/// The way back; also of records that version 0.1 wrote. Throws Error(data).
FitRecord read_record(std::string_view json);

} // namespace lacuna
