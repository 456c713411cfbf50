#pragma once

#include <string>

#include "lacuna/core/archive.hpp"
#include "lacuna/learning/classifier.hpp"

namespace lacuna {

void save_class_model(const ClassModel& model, Archive& archive, const std::string& prefix);
/// Throws Error(data).
ClassModel load_class_model(const Archive& archive, const std::string& prefix, Index n_classes);

} // namespace lacuna
