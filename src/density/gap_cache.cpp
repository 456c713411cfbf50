#include "density/gap_cache.hpp"

#include <mutex>

#include "density/gap_terms.hpp"

namespace lacuna {

namespace {

constexpr std::size_t most_bytes = 4UL * 1024UL * 1024UL;

std::size_t size_of(const MixtureTerms& terms) {
  return sizeof(double) * (terms.mean.values().size() + terms.whitener.values().size() +
                           (3 + 4 * terms.steps.size()) * terms.constant.size() +
                           terms.feature_power.values().size() + terms.log_level.values().size()) +
         sizeof(MixtureTerms);
}

} // namespace

std::shared_ptr<const MixtureTerms> GapCache::get(const MixtureTerms& terms,
                                                  const GapPattern& pattern) const {
  {
    const std::shared_lock lock(mutex_);
    const auto found = known_.find(pattern.missing);
    if (found != known_.end()) return found->second;
  }
  auto fresh = std::make_shared<const MixtureTerms>(GapTerms(terms, pattern).terms());
  const std::unique_lock lock(mutex_);
  if (n_bytes_ + size_of(*fresh) <= most_bytes && known_.emplace(pattern.missing, fresh).second)
    n_bytes_ += size_of(*fresh);
  return fresh;
}

} // namespace lacuna
