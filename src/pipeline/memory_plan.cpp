#include "pipeline/memory_plan.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "learning/unlabeled_sample.hpp"

namespace lacuna {

namespace {

constexpr std::array<std::pair<char, double>, 4> units{
    {{'T', 0x1p40}, {'G', 0x1p30}, {'M', 0x1p20}, {'K', 0x1p10}}};

// What a fit takes, in bytes, as docs/streaming.md tells. Measured, and rounded up.

/// The program itself and what members of a stack hold.
constexpr double fixed_bytes = 100e6;
/// Rows in which starts are sought, and blocks that pass by: with their copies, in rows.
constexpr double passing_rows = 4.0 * 65536.0;
/// Of an unlabeled row beside its features: labels, weights, log ratios, lists of rows.
constexpr double bytes_beside_features = 160.0;
/// Of a row, where five draws are fitted side by side.
constexpr double bytes_for_draws = 5.0 * 24.0;
/// Of a row in memory, where up to 24 simulated gaps are looked at side by side.
constexpr double bytes_for_gaps = 24.0 * 40.0;
/// Of a labeled row, for what the members of a stack make of it.
constexpr double bytes_of_label = 1000.0;
constexpr double copies_of_label = 8.0;

double bytes_per_row(const FitRequest& request, const DensityFamily& family, double n_features) {
  double copies = 1.0;
  if (!request.features.empty() && !(request.features.size() == 1 && family.standardizes() &&
                                     request.features.front().kind == "standardize"))
    copies += 1.0; // maps
  double bytes = bytes_beside_features;
  if (request.conditional != ConditionalForm::stack) bytes += bytes_for_draws;
  if (request.column_shapes == ColumnShaping::automatic && family.gains_by_shapes()) {
    copies += 1.0;
    bytes += 16.0 * std::min(16.0, n_features); // columns are sorted side by side
  }
  return bytes + 8.0 * n_features * copies;
}

} // namespace

std::optional<std::vector<RowDraw>> rows_to_keep(const FitRequest& request, const DensityFamily& family,
                                                 const TableSize& size, Observer& observer) {
  if (!request.memory) return std::nullopt;
  const auto n_rows = static_cast<double>(size.n_rows);
  const auto n_labeled = static_cast<double>(size.n_labeled);
  const auto n_features = static_cast<double>(size.n_features);
  const double of_row = bytes_per_row(request, family, n_features);
  const double of_kept = of_row + (request.conditional == ConditionalForm::stack ? bytes_for_gaps : 0.0);
  const double at_least = fixed_bytes + passing_rows * 8.0 * n_features +
                          n_labeled * (bytes_of_label + copies_of_label * 8.0 * n_features);
  if (at_least + n_rows * of_row <= *request.memory) return std::nullopt;
  const double least = at_least + (n_labeled + 2.0 * most_sampled_rows) * of_kept;
  if (least > *request.memory)
    observer.warning(fmt::format(
        "{} {} is not enough: with {} labeled rows the fit takes about {:.0f}M in any case",
        mention("memory"), memory_text(request.memory), size.n_labeled, std::ceil(least / 0x1p20)));
  const double affordable = (*request.memory - at_least) / of_kept - n_labeled - most_sampled_rows;
  const auto most = std::max(most_sampled_rows, static_cast<Index>(std::min(affordable, n_rows)));
  return std::vector<RowDraw>{{request.seed, most}, {labeling_seed(request.seed), most_sampled_rows}};
}

std::optional<std::optional<double>> read_memory(const std::string& text) {
  if (text == "all") return std::optional<double>();
  double number = 0.0;
  const char* const end = text.data() + text.size();
  const auto [rest, problem] = std::from_chars(text.data(), end, number, std::chars_format::fixed);
  if (problem != std::errc() || rest + 1 != end || !(number > 0.0)) return std::nullopt;
  for (const auto& [letter, bytes] : units)
    if (*rest == letter || *rest == letter - 'A' + 'a') return std::optional<double>(number * bytes);
  return std::nullopt;
}

std::string memory_text(const std::optional<double>& bytes) {
  if (!bytes) return "all";
  for (const auto& [letter, size] : units)
    if (*bytes >= size || letter == 'K') return fmt::format("{}{}", *bytes / size, letter);
  return "";
}

} // namespace lacuna
