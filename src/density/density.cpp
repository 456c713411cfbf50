#include "lacuna/density/density.hpp"

#include "core/archive_checks.hpp"
#include "lacuna/core/errors.hpp"

namespace lacuna {

namespace {

constexpr const char* summary_name = "summary/";
constexpr const char* measure_name = "measure/";

} // namespace

void DensityFacts::save(Archive& archive, const std::string& prefix) const {
  archive.put_text(prefix + "family", family);
  archive.put(prefix + "n_features", static_cast<double>(n_features));
  const std::string name = prefix + summary_name;
  archive.put(name + "n_components", static_cast<double>(summary.n_components));
  archive.put(name + "n_iterations", static_cast<double>(summary.n_iterations));
  archive.put(name + "objective", summary.objective);
  archive.put_choice(name + "stop_reason", summary.stop_reason);
  for (const auto& [measure, value] : summary.measures) archive.put(name + measure_name + measure, value);
}

DensityFacts DensityFacts::load(const Archive& archive, const std::string& prefix) {
  DensityFacts facts;
  facts.family = archive.text(prefix + "family");
  facts.n_features = archive.integer(prefix + "n_features", 1, largest_saved_features);
  const std::string name = prefix + summary_name;
  if (!archive.has(name + "stop_reason")) return facts; // format version 1 has no summary
  DensityFitSummary& summary = facts.summary;
  summary.n_components = archive.integer(name + "n_components", 0, largest_saved_count);
  summary.n_iterations = archive.integer(name + "n_iterations", 0, largest_saved_count);
  summary.objective = archive.number(name + "objective");
  summary.stop_reason = archive.choice<StopReason>(name + "stop_reason");
  const std::string measure = name + measure_name;
  const auto& tensors = archive.tensors();
  for (auto it = tensors.lower_bound(measure); it != tensors.end() && it->first.starts_with(measure); ++it)
    summary.measures[it->first.substr(measure.size())] = archive.number(it->first);
  return facts;
}

void Density::log_density_left_out(MatrixView rows, std::span<const double> /*shares*/,
                                   std::span<double> out) const {
  log_density(rows, out);
}

void Density::expected_log_density(MatrixView rows, std::span<double> out) const {
  log_density(rows, out);
}

std::shared_ptr<const Density> Density::posterior_draw(Index /*draw*/, Index /*n_draws*/,
                                                       std::uint64_t /*seed*/) const {
  return nullptr;
}

void Density::save(Archive& archive, const std::string& prefix) const {
  facts_.save(archive, prefix);
  save_parts(archive, prefix);
}

std::shared_ptr<const Density> DensityFamily::fit_blocks(AllRows& /*rows*/,
                                                         const DensityFitContext& /*context*/) const {
  throw Error(ErrorKind::usage,
              "this density family needs all rows in memory at once; to fit from blocks use vb-gmm or gmm");
}

} // namespace lacuna
