// A mixture from more rows than fit into memory, and its update with new ones. The rows come block by block
// from a RowSource of your own; here it makes them up, yours may ask a database. Statistics of blocks add up,
// wherever they were counted.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iostream>
#include <memory>
#include <optional>

#include "lacuna/core/random.hpp"
#include "lacuna/data/row_source.hpp"
#include "lacuna/density/families.hpp"
#include "lacuna/density/mixture_statistics.hpp"

namespace {

using lacuna::Index;

/// Two clouds at -3 and +3; row i is the same whenever it is read.
class Clouds : public lacuna::RowSource {
public:
  Clouds(Index first, Index end) : first_(first), end_(end), at_(first) {}

  void rewind() override { at_ = first_; }

  std::optional<lacuna::WeightedRows> next() override {
    constexpr Index rows_per_block = 10000;
    const Index n = std::min(rows_per_block, end_ - at_);
    if (n == 0) return std::nullopt;
    block_ = lacuna::Matrix(n, 2);
    for (Index i = 0; i < n; ++i, ++at_) {
      lacuna::RandomStream random(1, lacuna::RandomPurpose::simulation, static_cast<std::uint64_t>(at_));
      const double center = random.uniform() < 0.5 ? -3.0 : 3.0;
      block_(i, 0) = center + random.normal();
      block_(i, 1) = center + random.normal();
    }
    return lacuna::WeightedRows(block_.view());
  }

private:
  Index first_;
  Index end_;
  Index at_;
  lacuna::Matrix block_;
};

/// What one worker does with its part of the rows; the result may travel as an Archive.
lacuna::Archive count(const lacuna::Density& mixture, lacuna::RowSource& rows) {
  lacuna::MixtureStatistics statistics(mixture);
  rows.rewind();
  while (const auto block = rows.next()) statistics.add(mixture, *block);
  lacuna::Archive archive;
  statistics.save(archive, "statistics/");
  return archive;
}

} // namespace

int main() {
  const lacuna::DensityOptions options; // vb-gmm
  Clouds rows(0, 200000);
  const auto family = lacuna::make_density_family(options);
  std::shared_ptr<const lacuna::Density> mixture = family->fit_blocks(rows, lacuna::DensityFitContext{});
  std::cout << mixture->summary().n_components << " components\n";

  // New rows arrived. Two workers count, one for the old rows and one for the new; one update puts them
  // together.
  Clouds new_rows(200000, 250000);
  const lacuna::Archive parts[] = {count(*mixture, rows), count(*mixture, new_rows)};
  lacuna::MixtureStatistics total(*mixture);
  for (const lacuna::Archive& part : parts) total.add(lacuna::MixtureStatistics::load(part, "statistics/"));
  const std::shared_ptr<const lacuna::Density> updated = lacuna::update_mixture(*mixture, total, options);
  std::cout << total.total_weight() << " rows, mean log density "
            << updated->summary().objective / total.total_weight() << '\n';

  // The two clouds are found, and the bound is near minus the entropy of the truth, 3.53 nats.
  const bool as_promised = mixture->summary().n_components == 2 && total.total_weight() == 250000.0 &&
                           std::abs(updated->summary().objective / total.total_weight() + 3.53) < 0.01;
  return as_promised ? 0 : 1;
}
