#pragma once

#include <map>
#include <memory>
#include <shared_mutex>
#include <vector>

#include "density/mixture_terms.hpp"
#include "density/row_groups.hpp"

namespace lacuna {

/// Remembers what a mixture looks like to rows that lack some features, because rows are scored block by
/// block and the same patterns of gaps come back in each. Safe to use from many threads; holds a few
/// megabytes at most.
class GapCache {
public:
  /// The terms of the present features; always the same `terms` must be passed.
  std::shared_ptr<const MixtureTerms> get(const MixtureTerms& terms, const GapPattern& pattern) const;

private:
  mutable std::shared_mutex mutex_;
  mutable std::map<std::vector<Index>, std::shared_ptr<const MixtureTerms>> known_; ///< by missing features
  mutable std::size_t n_bytes_ = 0;
};

} // namespace lacuna
