#include "density/column_shapes.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "core/archive_checks.hpp"
#include "core/index.hpp"
#include "lacuna/data/dataset.hpp"

// Derived in docs/math/columns.md.

namespace lacuna {

namespace {

constexpr double missing = std::numeric_limits<double>::quiet_NaN();
constexpr Index spike_levels = 2;
constexpr double is_number = 0.0;
constexpr double is_spike = 1.0;

std::string list(const std::vector<std::string>& items) {
  std::string text;
  for (const std::string& item : items) text += (text.empty() ? "" : ", ") + item;
  return text;
}

} // namespace

Index ColumnShape::n_seen_levels() const {
  return joined.empty() ? n_levels : *std::max_element(joined.begin(), joined.end()) + 1;
}

ColumnShapes::ColumnShapes(std::vector<ColumnShape> columns) : columns_(std::move(columns)) {
  for (const ColumnShape& column : columns_) levels_.push_back(column.n_seen_levels());
  for (const ColumnShape& column : columns_)
    if (column.spike) levels_.push_back(spike_levels);
}

double ColumnShapes::see(const double* row, double* seen) const {
  double log_jacobian = 0.0;
  double* kind = seen + columns_.size();
  for (std::size_t j = 0; j < columns_.size(); ++j) {
    const ColumnShape& column = columns_[j];
    const double x = row[j];
    seen[j] = x;
    if (!column.joined.empty()) {
      const bool is_known = x >= 0.0 && x < static_cast<double>(column.n_levels);
      seen[j] = is_known ? static_cast<double>(column.joined[static_cast<std::size_t>(x)]) : missing;
      if (is_known) log_jacobian += column.log_part[static_cast<std::size_t>(x)];
    }
    if (column.spike) {
      *kind++ = std::isnan(x) ? missing : x == *column.spike ? is_spike : is_number;
      if (x == *column.spike) {
        seen[j] = missing;
        continue;
      }
    }
    if (column.scale > 0.0 && !std::isnan(x)) {
      const double z = (x - column.anchor) / column.scale;
      seen[j] = std::asinh(z);
      log_jacobian -= std::log(column.scale) + std::log(std::hypot(1.0, z));
    }
  }
  return log_jacobian;
}

void ColumnShapes::look_back(const double* seen, RandomStream& random, double* row) const {
  const double* kind = seen + columns_.size();
  for (std::size_t j = 0; j < columns_.size(); ++j) {
    const ColumnShape& column = columns_[j];
    row[j] = seen[j];
    // A draw from a heavy tail must not leave the numbers that rows may hold.
    if (column.scale > 0.0)
      row[j] =
          std::clamp(column.anchor + column.scale * std::sinh(seen[j]), -largest_feature, largest_feature);
    if (column.spike && *kind++ == is_spike) row[j] = *column.spike;
    if (column.joined.empty()) continue;
    double share = random.uniform();
    for (std::size_t l = 0; l < column.joined.size(); ++l) {
      if (static_cast<double>(column.joined[l]) != seen[j]) continue;
      row[j] = static_cast<double>(l);
      if ((share -= std::exp(column.log_part[l])) <= 0.0) break;
    }
  }
}

std::string ColumnShapes::describe(std::span<const std::string> names) const {
  std::vector<std::string> spikes;
  std::vector<std::string> scales;
  std::vector<std::string> joined;
  for (std::size_t j = 0; j < columns_.size(); ++j) {
    const ColumnShape& column = columns_[j];
    const std::string name = names.empty() ? std::to_string(j + 1) : names[j];
    if (column.spike) spikes.push_back(fmt::format("{} ({:g})", name, *column.spike));
    if (column.scale > 0.0) scales.push_back(name);
    if (!column.joined.empty())
      joined.push_back(
          fmt::format("{} ({} of {})", name, column.n_levels - column.n_seen_levels() + 1, column.n_levels));
  }
  std::vector<std::string> parts;
  if (!spikes.empty()) parts.push_back("columns taken as a spike and a number: " + list(spikes));
  if (!scales.empty()) parts.push_back("columns on a log-like scale: " + list(scales));
  if (!joined.empty()) parts.push_back("rare categories taken as one: " + list(joined));
  std::string text;
  for (const std::string& part : parts) text += (text.empty() ? "" : "; ") + part;
  return text;
}

void ColumnShapes::save(Archive& archive, const std::string& prefix) const {
  std::vector<double> levels;
  std::vector<double> anchors;
  std::vector<double> scales;
  std::vector<double> spikes;
  std::vector<double> has_spike;
  for (std::size_t j = 0; j < columns_.size(); ++j) {
    const ColumnShape& column = columns_[j];
    levels.push_back(static_cast<double>(column.n_levels));
    anchors.push_back(column.anchor);
    scales.push_back(column.scale);
    spikes.push_back(column.spike.value_or(0.0));
    has_spike.push_back(column.spike ? 1.0 : 0.0);
    if (column.joined.empty()) continue;
    const std::string name = prefix + std::to_string(j) + "/";
    archive.put(name + "joined", std::vector<double>(column.joined.begin(), column.joined.end()));
    archive.put(name + "log_part", column.log_part);
  }
  archive.put(prefix + "levels", std::move(levels));
  archive.put(prefix + "anchor", std::move(anchors));
  archive.put(prefix + "scale", std::move(scales));
  archive.put(prefix + "spike", std::move(spikes));
  archive.put(prefix + "has_spike", std::move(has_spike));
}

namespace {

bool is_count(double n, double most) {
  return n >= 0.0 && n <= most && n == std::floor(n);
}

/// The shares of the categories that one stands for sum to one.
bool are_parts(const ColumnShape& column) {
  std::vector<double> total(at(column.n_seen_levels()));
  for (std::size_t l = 0; l < column.joined.size(); ++l)
    total[at(column.joined[l])] += std::exp(column.log_part[l]);
  return std::all_of(total.begin(), total.end(), [](double sum) { return std::abs(sum - 1.0) < 1e-6; });
}

void load_joined(const Archive& archive, const std::string& name, ColumnShape& column) {
  if (!archive.has(name + "joined")) return;
  for (const double to : archive.vector(name + "joined", column.n_levels)) {
    require_saved(is_count(to, static_cast<double>(column.n_levels) - 1.0), name, "no category");
    column.joined.push_back(static_cast<Index>(to));
  }
  column.log_part = finite(archive.vector(name + "log_part", column.n_levels), name + "log_part");
  require_saved(are_parts(column), name, "shares of categories that do not sum to one");
}

} // namespace

std::shared_ptr<const ColumnShapes> ColumnShapes::load(const Archive& archive, const std::string& prefix,
                                                       Index n_columns) {
  constexpr double most_levels = 1 << 24;
  const std::vector<double>& levels = archive.vector(prefix + "levels", n_columns);
  const std::vector<double>& anchors =
      finite(archive.vector(prefix + "anchor", n_columns), prefix + "anchor");
  require_within(anchors, 1e153, prefix + "anchor");
  const std::vector<double>& scales = finite(archive.vector(prefix + "scale", n_columns), prefix + "scale");
  const std::vector<double>& spikes = finite(archive.vector(prefix + "spike", n_columns), prefix + "spike");
  const std::vector<double>& has_spike = archive.vector(prefix + "has_spike", n_columns);
  std::vector<ColumnShape> columns;
  for (Index j = 0; j < n_columns; ++j) {
    require_saved(is_count(levels[at(j)], most_levels) && is_count(has_spike[at(j)], 1.0), prefix,
                  "a count outside its limits");
    ColumnShape column;
    column.n_levels = static_cast<Index>(levels[at(j)]);
    column.anchor = anchors[at(j)];
    column.scale = scales[at(j)];
    if (has_spike[at(j)] == 1.0) column.spike = spikes[at(j)];
    constexpr double most = 1e153; // of an anchor and one over a scale: their product is still a number
    require_saved(column.scale >= 0.0 && (column.scale == 0.0 || 1.0 / column.scale <= most), prefix,
                  "a scale that is not positive");
    require_saved(column.n_levels == 0 || column.is_plain(), prefix, "a category shaped like a number");
    if (column.n_levels > 0) load_joined(archive, prefix + std::to_string(j) + "/", column);
    columns.push_back(std::move(column));
  }
  return std::make_shared<const ColumnShapes>(std::move(columns));
}

} // namespace lacuna
