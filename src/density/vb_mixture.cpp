#include "density/vb_mixture.hpp"

#include <algorithm>
#include <cmath>

#include "core/archive_checks.hpp"
#include "density/saved_whitener.hpp"

namespace lacuna {

VbMixture::VbMixture(Frame frame, const VbPrior& prior, VbPosterior posterior, DensityForm form,
                     DensityFitSummary summary)
    : Density({"vb-gmm", frame.n_columns(), std::move(summary)}), frame_(std::move(frame)), prior_(prior),
      posterior_(std::move(posterior)), form_(form),
      reading_(read_mixture(frame_, prior_, posterior_, form)) {}

namespace {

/// The place where a random share of probabilities that sum to one falls.
std::size_t draw_place(std::span<const double> probability, double share) {
  std::size_t k = 0;
  while (k + 1 < probability.size() && (share -= probability[k]) > 0.0) ++k;
  return k;
}

} // namespace

void VbMixture::log_density(MatrixView rows, std::span<double> out) const {
  reading_.log_density(rows, out);
}

void VbMixture::expected_log_density(MatrixView rows, std::span<double> out) const {
  if (form_ == DensityForm::expected_log) return reading_.log_density(rows, out);
  read_mixture(frame_, prior_, posterior_, DensityForm::expected_log).log_density(rows, out);
}

double VbMixture::divergence() const {
  return posterior_divergence(prior_, posterior_);
}

void VbMixture::sample(RandomStream& random, std::span<double> out) const {
  const auto k = static_cast<Index>(draw_place(mean_weights(prior_, posterior_), random.uniform()));
  const Frame& frame = reading_.frame();
  // What has no mass of one is drawn from the plug-in Gaussian, which has the same precision.
  const std::vector<double> x = draw_component(reading_.terms(), k, random);
  for (std::size_t j = 0; j < x.size(); ++j)
    out[static_cast<std::size_t>(frame.columns[j])] = frame.center[j] + frame.scale[j] * x[j];
  if (frame_.categories.empty()) return;
  const Matrix levels = mean_levels(prior_, posterior_);
  for (const CategoryColumn& category : frame_.categories)
    out[static_cast<std::size_t>(category.column)] = static_cast<double>(
        draw_place({levels.row(k) + category.first_level, static_cast<std::size_t>(category.n_levels)},
                   random.uniform()));
}

void VbMixture::save_parts(Archive& archive, const std::string& prefix) const {
  frame_.save(archive, prefix);
  archive.put(prefix + "n_components", static_cast<double>(posterior_.n_active()));
  archive.put_choice(prefix + "covariance", prior_.covariance);
  archive.put_choice(prefix + "weight_prior", prior_.weight_prior);
  archive.put_choice(prefix + "density_form", form_);
  archive.put(prefix + "prior", {static_cast<double>(prior_.n_components), prior_.weight_concentration,
                                 prior_.mean_precision, prior_.degrees_of_freedom, prior_.scatter});
  if (!prior_.correlation.empty()) archive.put(prefix + "prior_correlation", prior_.correlation);
  archive.put(prefix + "rows", posterior_.rows);
  archive.put(prefix + "mean_precision", posterior_.beta);
  archive.put(prefix + "degrees_of_freedom", posterior_.nu);
  archive.put(prefix + "mean", posterior_.mean);
  archive.put(prefix + "whitener", posterior_.whitener);
  archive.put(prefix + "log_det_scale", posterior_.log_det_scale);
  if (has_gaps(posterior_)) archive.put(prefix + "lacking_rows", posterior_.lacking);
  if (frame_.categories.empty()) return;
  archive.put(prefix + "category_concentration", prior_.category_concentration);
  archive.put(prefix + "category_rows", posterior_.levels);
}

namespace {

bool is_correlation(std::span<const double> packed, Index n) {
  std::size_t e = 0;
  for (Index i = 0; i < n; ++i, ++e) {
    for (Index j = 0; j < i; ++j, ++e)
      if (!(std::abs(packed[e]) < 1.0)) return false;
    if (packed[e] != 1.0) return false;
  }
  return true;
}

constexpr Index largest_count = Index{1} << 24;

struct Choices {
  CovarianceType covariance;
  WeightPrior weight_prior;
  DensityForm density_form;
};

Choices load_choices(const Archive& archive, const std::string& prefix) {
  if (archive.has(prefix + "kind")) { // format version 1: three numbers in one tensor
    const std::vector<double>& kind = archive.vector(prefix + "kind", 3);
    Archive by_name;
    by_name.put("covariance", kind[0]);
    by_name.put("weight_prior", kind[1]);
    by_name.put("density_form", kind[2]);
    return load_choices(by_name, "");
  }
  return {archive.choice<CovarianceType>(prefix + "covariance"),
          archive.choice<WeightPrior>(prefix + "weight_prior"),
          archive.choice<DensityForm>(prefix + "density_form")};
}

} // namespace

std::shared_ptr<const VbMixture> VbMixture::load(const Archive& archive, const std::string& prefix,
                                                 DensityFacts facts) {
  Frame frame = Frame::load(archive, prefix, facts.n_features);
  const Index d = frame.n_features();
  const Index n = archive.integer(prefix + "n_components", 1, largest_count);
  const std::vector<double>& limits = archive.vector(prefix + "prior", 5);
  require_saved(all_weights(limits) && limits[0] >= static_cast<double>(n) && limits[0] <= largest_count,
                prefix, "a prior outside its limits");
  const Choices choices = load_choices(archive, prefix);
  VbPrior prior;
  prior.covariance = choices.covariance;
  prior.weight_prior = choices.weight_prior;
  prior.n_components = static_cast<Index>(limits[0]);
  prior.weight_concentration = limits[1];
  prior.mean_precision = limits[2];
  prior.degrees_of_freedom = limits[3];
  prior.scatter = limits[4];

  const bool diagonal = is_diagonal(prior.covariance);
  if (!diagonal && archive.has(prefix + "prior_correlation")) {
    const std::vector<double>& packed = archive.vector(prefix + "prior_correlation", d * (d + 1) / 2);
    require_saved(is_correlation(packed, d) && prior.set_correlation(packed, d), prefix,
                  "a prior outside its limits");
  }
  VbPosterior posterior;
  posterior.rows = archive.vector(prefix + "rows", n);
  posterior.beta = archive.vector(prefix + "mean_precision", n);
  posterior.nu = archive.vector(prefix + "degrees_of_freedom", n);
  posterior.mean = archive.matrix(prefix + "mean", n, d);
  posterior.whitener = archive.matrix(prefix + "whitener", n, diagonal ? d : d * (d + 1) / 2);
  posterior.log_det_scale = archive.vector(prefix + "log_det_scale", n);
  require_saved(all_weights(posterior.rows) && all_weights(posterior.beta), prefix,
                "counts that are not positive");
  const double least_nu = diagonal ? 0.0 : static_cast<double>(d) - 1.0;
  require_saved(std::all_of(posterior.nu.begin(), posterior.nu.end(),
                            [&](double v) { return v > least_nu && v <= largest_saved_weight; }),
                prefix, "too few degrees of freedom");
  require_within(posterior.mean.values(), largest_saved_mean, prefix + "mean");
  require_within(posterior.whitener.values(), largest_saved_whitener, prefix + "whitener");
  for (Index k = 0; k < n; ++k) {
    for (Index i = 0; i < d; ++i)
      require_saved(posterior.whitener(k, diagonal ? i : i * (i + 1) / 2 + i) > 0.0, prefix,
                    "a component without a spread");
    require_saved(agrees(posterior.log_det_scale[static_cast<std::size_t>(k)],
                         log_det_of(posterior.whitener.row(k), d, diagonal)),
                  prefix, "a determinant that is not that of its whitener");
  }
  posterior.lacking = Matrix(n, d);
  if (archive.has(prefix + "lacking_rows")) {
    posterior.lacking = archive.matrix(prefix + "lacking_rows", n, d);
    for (Index k = 0; k < n; ++k)
      for (Index j = 0; j < d; ++j)
        require_saved(posterior.lacking(k, j) >= 0.0 &&
                          posterior.lacking(k, j) <= posterior.rows[static_cast<std::size_t>(k)],
                      prefix, "components that lack more values than they have rows");
  }
  if (!frame.categories.empty()) {
    for (const CategoryColumn& category : frame.categories) prior.levels.push_back(category.n_levels);
    prior.category_concentration = archive.number(prefix + "category_concentration");
    posterior.levels = archive.matrix(prefix + "category_rows", n, frame.n_levels());
    require_saved(all_weights({&prior.category_concentration, 1}) && all_weights(posterior.levels.values()),
                  prefix, "counts of categories that are not positive");
  }
  return std::make_shared<VbMixture>(std::move(frame), prior, std::move(posterior), choices.density_form,
                                     std::move(facts.summary));
}

} // namespace lacuna
