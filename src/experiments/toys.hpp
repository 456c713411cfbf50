#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "lacuna/data/dataset.hpp"

namespace lacuna {

/// A toy problem of the paper's kind: two features, two classes, labels missing at random.
struct Toy {
  Dataset train;                   ///< 1,000 rows, 250 of them labeled
  Dataset test;                    ///< 10,000 rows, all labeled
  std::vector<char> never_labeled; ///< per test row: lies in a blob that is never labeled
};

/// "quadrants": the class is the sign of the second coordinate, the clusters lie left and right, and labels
/// are seen in the upper left and the lower right blob only. "coin": two classes, and a blob between them
/// that is never labeled and whose classes are a fair coin. Throws Error(usage) for another name.
Toy make_toy(const std::string& name, std::uint64_t seed);

} // namespace lacuna
