#include "lacuna/features/feature_map.hpp"

#include <fmt/format.h>

#include "core/archive_checks.hpp"
#include "lacuna/core/errors.hpp"
#include "lacuna/data/dataset.hpp"

namespace lacuna {

namespace {

constexpr Index most_maps = 100;

std::string map_prefix(const std::string& prefix, std::size_t i) {
  return prefix + std::to_string(i) + "/";
}

} // namespace

void FeatureMap::save(Archive& archive, const std::string& prefix) const {
  archive.put_text(prefix + "kind", kind());
  save_parts(archive, prefix);
}

std::vector<std::string> FeatureChain::output_names(std::vector<std::string> names) const {
  for (const auto& map : maps_) names = map->output_names(names);
  return names;
}

void FeatureChain::check_missing_values(MatrixView rows, const std::vector<std::string>& names,
                                        Index first_row) const {
  for (const auto& map : maps_)
    if (!map->handles_missing_values()) require_complete(rows, names, first_row, map->kind());
}

Matrix FeatureChain::apply(MatrixView rows, const ApplyOptions& how) const {
  Matrix result;
  if (maps_.empty()) {
    result = Matrix(rows.n_rows, rows.n_cols, {rows.data, rows.data + rows.n_rows * rows.n_cols});
    return result;
  }
  for (const auto& map : maps_) {
    if (rows.n_cols != map->n_inputs())
      throw Error(ErrorKind::data, fmt::format("the rows have {} features, but {} was fitted on {}",
                                               rows.n_cols, map->kind(), map->n_inputs()));
    if (!map->handles_missing_values()) require_complete(rows, {}, how.first_row, map->kind());
    Matrix next;
    map->apply(rows, how, next);
    result = std::move(next);
    rows = result.view();
  }
  return result;
}

void FeatureChain::save(Archive& archive, const std::string& prefix) const {
  archive.put(prefix + "n", static_cast<double>(maps_.size()));
  for (std::size_t i = 0; i < maps_.size(); ++i) maps_[i]->save(archive, map_prefix(prefix, i));
}

FeatureChain FeatureChain::load(const Archive& archive, const std::string& prefix) {
  std::vector<std::shared_ptr<const FeatureMap>> maps(
      static_cast<std::size_t>(archive.integer(prefix + "n", 0, most_maps)));
  for (std::size_t i = 0; i < maps.size(); ++i) {
    maps[i] = load_feature_map(archive, map_prefix(prefix, i));
    if (i > 0 && maps[i]->n_inputs() != maps[i - 1]->n_outputs())
      fail_damaged(map_prefix(prefix, i), "takes another number of features than the map before it makes");
  }
  return FeatureChain(std::move(maps));
}

} // namespace lacuna
