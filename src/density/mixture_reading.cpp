#include "density/mixture_reading.hpp"

#include "core/index.hpp"
#include "density/row_groups.hpp"
#include "math/moments.hpp"

namespace lacuna {

void MixtureReading::log_density(MatrixView rows, std::span<double> out) const {
  const WeightedRows all(rows);
  if (!has_missing({rows.data, at(rows.n_rows * rows.n_cols)})) {
    write_log_density(all, frame_, terms_, out);
    return;
  }
  const RowGroups groups(all, frame_);
  if (groups.complete().size() == all.size()) {
    write_log_density(all, frame_, terms_, out);
    return;
  }
  std::vector<double> values;
  const auto scatter = [&](const WeightedRows& some, const Frame& frame, const MixtureTerms& terms) {
    values.resize(at(some.size()));
    write_log_density(some, frame, terms, values);
    for (Index i = 0; i < some.size(); ++i) out[at(some.index(i))] = values[at(i)];
  };
  scatter(groups.complete(), frame_, terms_);
  for (const GapGroup& group : groups.groups())
    scatter(groups.rows_of(group), frame_.select(group.pattern.present),
            *gap_cache_.get(terms_, group.pattern));
  // The density of nothing: an integral over everything.
  for (const Index row : groups.empty_rows()) out[at(row)] = 0.0;
}

} // namespace lacuna
