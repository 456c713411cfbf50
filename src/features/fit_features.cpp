#include "lacuna/features/fit_features.hpp"

#include <charconv>

#include <fmt/format.h>

#include "features/pca.hpp"
#include "features/standardize.hpp"
#include "features/vae_engine.hpp"
#include "features/vae_fit.hpp"
#include "lacuna/core/errors.hpp"
#include "lacuna/data/dataset.hpp"

namespace lacuna {

namespace {

using Kind = FeatureSpec::Kind;

[[noreturn]] void fail(const std::string& got, const std::string& expected) {
  throw Error(ErrorKind::usage, "features: got '" + got + "', expected " + expected);
}

template <typename Number>
bool parse_number(const std::string& text, Number& value) {
  const char* end = text.data() + text.size();
  const auto [stop, status] = std::from_chars(text.data(), end, value);
  return status == std::errc{} && stop == end;
}

FeatureSpec parse_one(const std::string& text) {
  const std::size_t colon = text.find(':');
  const std::string name = text.substr(0, colon);
  const bool has_size = colon != std::string::npos;
  const std::string size = has_size ? text.substr(colon + 1) : "";
  FeatureSpec spec;
  if (name == "standardize") {
    if (has_size) fail(text, "standardize without a number");
    return spec;
  }
  if (name == "vae") {
    spec.kind = Kind::vae;
    if (has_size && (!parse_number(size, spec.n_outputs) || spec.n_outputs < 1 || spec.n_outputs > 1000))
      fail(text, "vae:N with N from 1 to 1000");
    return spec;
  }
  if (name != "pca")
    fail(text, "none, or standardize, pca:N, pca:SHARE, vae or vae:N with commas between them");
  spec.kind = Kind::pca;
  // "1" is one component, "1.0" the whole variance: what is written as a whole number counts components.
  if (parse_number(size, spec.n_outputs) && spec.n_outputs >= 1) return spec;
  spec.n_outputs = 0;
  if (!parse_number(size, spec.share) || !(spec.share > 0.0 && spec.share <= 1.0))
    fail(text,
         "pca:N with a number of components from 1, or pca:SHARE with a share of the variance such as 0.95");
  return spec;
}

VaeOptions vae_options(const FeatureOptions& options, const FeatureSpec& spec) {
  VaeOptions vae = options.vae;
  if (spec.n_outputs > 0) vae.n_latent = spec.n_outputs;
  return vae;
}

void require_plain_numbers(MatrixView rows, std::span<const Index> levels, const std::string& kind) {
  for (std::size_t j = 0; j < levels.size(); ++j)
    if (levels[j] != 0)
      throw Error(
          ErrorKind::data,
          fmt::format("features: column {} holds the numbers of categories, which {} cannot take; give "
                      "each category a column of zeros and ones",
                      j + 1, kind));
  require_complete(rows, {}, 0, kind);
}

} // namespace

std::vector<FeatureSpec> parse_features(const std::string& text) {
  std::vector<FeatureSpec> maps;
  if (text == "none") return maps;
  std::size_t start = 0;
  for (;;) {
    const std::size_t comma = text.find(',', start);
    maps.push_back(parse_one(text.substr(start, comma - start)));
    if (comma == std::string::npos) return maps;
    start = comma + 1;
  }
}

std::string to_string(const std::vector<FeatureSpec>& maps) {
  if (maps.empty()) return "none";
  std::string text;
  for (const FeatureSpec& map : maps) {
    if (!text.empty()) text += ',';
    if (map.kind == Kind::standardize) text += "standardize";
    if (map.kind == Kind::pca)
      text += map.n_outputs > 0 ? fmt::format("pca:{}", map.n_outputs) : fmt::format("pca:{}", map.share);
    if (map.kind == Kind::vae) text += map.n_outputs > 0 ? fmt::format("vae:{}", map.n_outputs) : "vae";
  }
  return text;
}

void check_options(const FeatureOptions& options) {
  for (const FeatureSpec& map : options.maps) {
    if (map.kind != Kind::vae) continue;
    check_options(vae_options(options, map));
    const VaePlugin& plugin = vae_plugin();
    if (options.vae.device == VaeDevice::cuda && !plugin.has_cuda)
      throw Error(ErrorKind::usage,
                  "device: got cuda, but libtorch finds no GPU here; use " + mention("device") +
                      " cpu, or build lacuna with a CUDA libtorch and check the driver with nvidia-smi");
  }
}

FeatureChain fit_features(const FeatureOptions& options, MatrixView rows, std::uint64_t seed, int threads,
                          Observer& observer, std::span<const Index> levels) {
  check_options(options);
  if (!options.maps.empty() && (rows.n_rows < 1 || rows.n_cols < 1))
    throw Error(ErrorKind::data, "features: there are no rows or no columns to fit them on");
  std::vector<std::shared_ptr<const FeatureMap>> maps;
  Matrix current;
  for (const FeatureSpec& spec : options.maps) {
    stop_if_cancelled(observer);
    if (!maps.empty()) {
      Matrix next;
      maps.back()->apply(rows, 0, threads, next);
      current = std::move(next);
      rows = current.view();
    }
    if (spec.kind != Kind::standardize)
      require_plain_numbers(rows, levels, spec.kind == Kind::pca ? "pca" : "vae");
    if (spec.kind == Kind::standardize)
      maps.push_back(Standardize::fit(rows, levels));
    else if (spec.kind == Kind::pca)
      maps.push_back(Pca::fit(rows, spec.n_outputs, spec.share, threads));
    else
      maps.push_back(fit_vae(vae_options(options, spec), rows, seed, threads, observer));
  }
  return FeatureChain(std::move(maps));
}

} // namespace lacuna
