#pragma once

#include <functional>
#include <string>

#include "lacuna/core/observer.hpp"
#include "lacuna/data/table.hpp"

namespace lacuna {

/// Large enough to keep threads busy, small enough to need no memory to speak of.
inline constexpr Index rows_per_block = 16384;

/// Reads a table to its end, block by block, with progress, cancellation and a warning at the end when
/// categories turned up that the fit had not seen.
void for_each_block(TableReader& reader, Observer& observer,
                    const std::function<void(const TableBlock&)>& work);

} // namespace lacuna
