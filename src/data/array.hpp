#pragma once

#include <string>

#include "lacuna/core/matrix.hpp"
#include "lacuna/core/observer.hpp"

namespace LACUNA_API lacuna {

/// A whole NPY or IDX file as it is: one row per entry of the first axis, the others unrolled. Unlike
/// read_training_table it leaves no column out, so images keep their pixels. Throws Error(data) for a table
/// of text, a value that is not finite and a file without rows.
Matrix read_array(const std::string& path, Observer& observer = silent_observer());

} // namespace lacuna
