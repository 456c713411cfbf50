// Writes what fuzzers start from: a small model file per density family, map, method and conditional, their
// records, and a run of `reproduce`. Usage: make_seeds FOLDER
#include <cmath>
#include <cstdio>

#include <nlohmann/json.hpp>

#include "core/files.hpp"
#include "lacuna/core/errors.hpp"
#include "lacuna/core/random.hpp"
#include "lacuna/pipeline/fit.hpp"
#include "pipeline/json_parts.hpp"
#include "pipeline/record_json.hpp"

namespace {

using namespace lacuna;

/// Two blobs; half of the rows has labels. The second column is a category or has gaps where asked for.
Dataset blobs(bool has_levels, bool has_gaps) {
  constexpr Index n_rows = 40;
  Dataset data;
  data.class_names = {"a", "b"};
  data.feature_names = {"x", "y"};
  data.features = Matrix(n_rows, 2);
  for (Index i = 0; i < n_rows; ++i) {
    RandomStream random(3, RandomPurpose::simulation, static_cast<std::uint64_t>(i));
    const int y = static_cast<int>(i % 2);
    data.features(i, 0) = 3.0 * y + random.normal();
    data.features(i, 1) = has_levels ? std::floor(3.0 * random.uniform()) : random.normal();
    if (has_gaps && i % 5 == 0) data.features(i, 1) = std::nan("");
    data.labels.push_back(i % 4 < 2 ? y : missing_label);
  }
  if (has_levels) data.levels = {0, 3};
  return data;
}

FitOptions quick(const DensityOptions& density) {
  FitOptions options;
  options.density = density;
  options.conditional = ConditionalForm::densities;
  options.draws = Index{1};
  options.kappa = 0.0;
  options.shrinkage = 0.1;
  options.threads = 1;
  return options;
}

void write_file(const std::string& path, const std::string& text) {
  AtomicFile file(path, true);
  file.write(text);
  file.commit();
}

struct Seeds {
  std::string folder;

  void write(const std::string& name, const FitOptions& options, bool has_levels = false,
             bool has_gaps = false) const {
    Model model = fit(blobs(has_levels, has_gaps), options);
    write_file(folder + "/record/" + name, record_json(model.record));
    // A short record: its JSON would take most of the time of every try.
    model.record.options.clear();
    model.record.notes.clear();
    model.record.summary.densities.clear();
    save_model(model, folder + "/scoring/" + name, true);
  }
};

void write_densities(const Seeds& seeds) {
  for (const auto& covariance : choice_names(CovarianceType{})) {
    const std::string name(covariance.name);
    seeds.write("gmm-" + name, quick(GmmOptions{.components = 2, .covariance = covariance.value}));
    seeds.write("vb-" + name, quick(VbMixtureOptions{.components = 2, .covariance = covariance.value}));
  }
  for (const auto& form : choice_names(DensityForm{}))
    seeds.write("vb-" + std::string(form.name),
                quick(VbMixtureOptions{.components = 2, .density_form = form.value}));
  VbMixtureOptions sticks{.components = 2, .weight_prior = WeightPrior::stick_breaking};
  sticks.own_covariance = true;
  seeds.write("vb-sticks", quick(sticks));
  seeds.write("vb-levels", quick(VbMixtureOptions{.components = 2}), true);
  seeds.write("vb-gaps", quick(VbMixtureOptions{.components = 2}), false, true);
  seeds.write("kde", quick(KdeOptions{}));
  seeds.write("dp", quick(DpMixtureOptions{.dp_iterations = 6, .dp_burn_in = 4, .dp_draws = 2}));
}

void write_methods(const Seeds& seeds) {
  for (const auto& method : choice_names(Method{})) {
    FitOptions options = quick(GmmOptions{.components = 1});
    options.method = method.value;
    seeds.write("method-" + std::string(method.name), options);
  }
  FitOptions product = quick(GmmOptions{.components = 1});
  product.posterior = PosteriorForm::product;
  product.ignorant = Ignorant::random;
  product.background = BackgroundForm::none;
  seeds.write("product", product);
}

void write_maps(const Seeds& seeds) {
  for (const std::string maps : {"standardize", "pca:1", "vae:1", "standardize,pca:2,vae:1"}) {
    FitOptions options = quick(GmmOptions{.components = 1});
    options.vae.vae_hidden = {3};
    options.vae.vae_epochs = 1;
    options.vae.vae_likelihood = VaeLikelihood::gaussian;
    options.features = parse_features(maps);
    seeds.write("maps-" + maps, options);
  }
}

void write_stacks(const Seeds& seeds) {
  for (const auto& trust : choice_names(TrustForm{})) {
    const bool has_levels = trust.value == TrustForm::regions;
    FitOptions options = quick(GmmOptions{.components = 1});
    if (has_levels) options.density = VbMixtureOptions{.components = 1};
    options.conditional = ConditionalForm::stack;
    options.trust = trust.value;
    options.region = has_levels ? Region::classifier : Region::densities;
    options.folds = 2;
    seeds.write("stack-" + std::string(trust.name), options, has_levels);
  }
}

/// A run of `reproduce` as its file keeps it.
void write_run(const Seeds& seeds) {
  nlohmann::ordered_json metrics = {{"n", 20}, {"bins", nlohmann::ordered_json::array()}};
  for (const NamedMetric& metric : named_metrics) metrics[metric.name] = 0.25;
  for (std::size_t b = 0; b < n_reliability_bins; ++b)
    metrics["bins"].push_back(
        {{"low", 0.1}, {"high", 0.2}, {"n", 2}, {"mean_error_probability", 0.15}, {"error_rate", 0.5}});
  const nlohmann::ordered_json part = metrics;
  metrics["strata"] = {{"rare", part}, {"rest", part}};
  const nlohmann::ordered_json run = {
      {"toy", "moons"}, {"method", "mar"}, {"preset", "paper"}, {"repeat", 0}, {"metrics", metrics}};
  write_file(seeds.folder + "/runs/run", run.dump());
}

} // namespace

int main(int n_arguments, char** arguments) {
  if (n_arguments != 2) {
    std::fputs("usage: make_seeds FOLDER\n", stderr);
    return 64;
  }
  try {
    const Seeds seeds{arguments[1]};
    write_densities(seeds);
    write_methods(seeds);
    write_maps(seeds);
    write_stacks(seeds);
    write_run(seeds);
  } catch (const Error& error) {
    std::fprintf(stderr, "make_seeds: %s\n", error.what());
    return 70;
  }
  return 0;
}
