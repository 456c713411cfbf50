#pragma once

#include <memory>
#include <string>

#include "lacuna/core/archive.hpp"
#include "lacuna/core/matrix.hpp"
#include "lacuna/density/density.hpp"
#include "lacuna/density/families.hpp"

namespace LACUNA_API lacuna {

/// What an update of a mixture ("vb-gmm" or "gmm") needs to know of rows: for each component the weight,
/// first and second moments of its rows, about the component's centre, and its categories. They add up, so
/// blocks of rows can be counted anywhere, in any order, and put together later (docs/streaming.md).
class MixtureStatistics {
public:
  /// Of no rows.
  explicit MixtureStatistics(const Density& mixture);
  MixtureStatistics(const MixtureStatistics& other);
  MixtureStatistics& operator=(const MixtureStatistics& other);
  MixtureStatistics(MixtureStatistics&&) noexcept;
  MixtureStatistics& operator=(MixtureStatistics&&) noexcept;
  ~MixtureStatistics();

  /// Adds rows, with the responsibilities that the mixture gives them. It must be the one of the constructor.
  /// The same bits for any number of threads.
  void add(const Density& mixture, const WeightedRows& rows, int threads = 1);
  /// Adds what was counted elsewhere under the same mixture; throws Error(usage) when it was another.
  void add(const MixtureStatistics& other);
  /// Takes away what was added before. What remains is wrong by rounding errors of the size of the total, not
  /// of the remainder: about 1e-16 of the largest total there ever was.
  void subtract(const MixtureStatistics& other);

  /// Weight of the rows that have a value.
  double total_weight() const;
  /// What the fit maximises (the evidence bound of vb-gmm, the log likelihood of gmm), for `mixture` and the
  /// rows counted, in the units of the rows.
  double objective(const Density& mixture) const;

  void save(Archive& archive, const std::string& prefix) const;
  static MixtureStatistics load(const Archive& archive, const std::string& prefix);

private:
  friend std::shared_ptr<const Density>
  update_mixture(const Density& mixture, const MixtureStatistics& statistics, const DensityOptions& options);
  struct Impl;
  explicit MixtureStatistics(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

/// One iteration: the mixture that fits the rows counted under `mixture` best, with the responsibilities they
/// had. Its summary's objective is that of `mixture`: it never falls from one call to the next. `options` are
/// those of the fit. Throws Error(data) when no row was counted.
std::shared_ptr<const Density> update_mixture(const Density& mixture, const MixtureStatistics& statistics,
                                              const DensityOptions& options);

} // namespace lacuna
