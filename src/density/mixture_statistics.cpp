#include "lacuna/density/mixture_statistics.hpp"

#include <algorithm>
#include <utility>

#include "core/archive_checks.hpp"
#include "density/frame.hpp"
#include "density/gmm.hpp"
#include "density/mixture_moments.hpp"
#include "density/row_groups.hpp"
#include "density/vb_mixture.hpp"
#include "density/vb_problem.hpp"
#include "lacuna/core/errors.hpp"

namespace lacuna {

namespace {

/// What both kinds of mixture have: a frame, and terms whose responsibilities an update takes.
struct MixtureView {
  const Frame* frame = nullptr;
  MixtureTerms terms;
  const VbMixture* vb = nullptr; ///< one of the two
  const Gmm* gmm = nullptr;
};

MixtureView view_of(const Density& mixture) {
  if (const auto* const vb = dynamic_cast<const VbMixture*>(&mixture))
    return {&vb->frame(), make_terms(vb->prior(), vb->posterior(), DensityForm::expected_log), vb, nullptr};
  if (const auto* const gmm = dynamic_cast<const Gmm*>(&mixture))
    return {&gmm->frame(), make_terms(gmm->parameters()), nullptr, gmm};
  throw Error(ErrorKind::usage,
              "statistics are of mixtures of the families vb-gmm and gmm; got '" + mixture.family() + "'");
}

bool is_same_frame(const Frame& a, const Frame& b) {
  return a.center == b.center && a.scale == b.scale && a.n_columns() == b.n_columns() &&
         a.n_levels() == b.n_levels();
}

bool is_same_shift(const MixtureMoments& a, const MixtureMoments& b) {
  return a.is_diagonal == b.is_diagonal && a.n_components() == b.n_components() &&
         a.n_features() == b.n_features() && std::ranges::equal(a.shift.values(), b.shift.values());
}

void require_same(bool is_same) {
  if (!is_same)
    throw Error(ErrorKind::usage, "the statistics were counted under another mixture; count the rows again "
                                  "under the one that is to be updated");
}

} // namespace

struct MixtureStatistics::Impl {
  Frame frame;
  MixtureMoments moments;
  std::vector<double> constant; ///< of the mixture's terms: with the centres it tells mixtures apart
  double total_weight = 0.0;
  double missing_log_scale = 0.0;

  void add(const Impl& other, double sign) {
    require_same(is_same_frame(frame, other.frame) && is_same_shift(moments, other.moments) &&
                 constant == other.constant);
    moments.add(other.moments, sign);
    total_weight += sign * other.total_weight;
    missing_log_scale += sign * other.missing_log_scale;
  }

  void require_under(const MixtureView& mixture) const {
    require_same(is_same_frame(frame, *mixture.frame) && constant == mixture.terms.constant &&
                 is_same_shift(moments, MixtureMoments(mixture.terms.mean, mixture.terms.is_diagonal)));
  }
};

MixtureStatistics::MixtureStatistics(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}

MixtureStatistics::MixtureStatistics(const Density& mixture) {
  const MixtureView view = view_of(mixture);
  impl_ = std::make_unique<Impl>(
      Impl{*view.frame, MixtureMoments(view.terms.mean, view.terms.is_diagonal, view.frame->n_levels()),
           view.terms.constant});
}

MixtureStatistics::MixtureStatistics(const MixtureStatistics& other)
    : impl_(std::make_unique<Impl>(*other.impl_)) {}

MixtureStatistics& MixtureStatistics::operator=(const MixtureStatistics& other) {
  if (this != &other) impl_ = std::make_unique<Impl>(*other.impl_);
  return *this;
}

MixtureStatistics::MixtureStatistics(MixtureStatistics&&) noexcept = default;
MixtureStatistics& MixtureStatistics::operator=(MixtureStatistics&&) noexcept = default;
MixtureStatistics::~MixtureStatistics() = default;

void MixtureStatistics::add(const Density& mixture, const WeightedRows& rows, int threads) {
  const MixtureView view = view_of(mixture);
  impl_->require_under(view);
  if (rows.size() == 0) return;
  if (rows.n_features() != view.frame->n_columns())
    throw Error(ErrorKind::data, "the rows have " + std::to_string(rows.n_features()) +
                                     " columns, the mixture " + std::to_string(view.frame->n_columns()));
  const RowGroups groups(rows, impl_->frame);
  impl_->moments.add(collect_moments(groups, impl_->frame, view.terms, threads, silent_observer()));
  impl_->total_weight += groups.total_weight();
  impl_->missing_log_scale += groups.missing_log_scale(impl_->frame);
}

void MixtureStatistics::add(const MixtureStatistics& other) {
  impl_->add(*other.impl_, 1.0);
}

void MixtureStatistics::subtract(const MixtureStatistics& other) {
  impl_->add(*other.impl_, -1.0);
}

double MixtureStatistics::total_weight() const {
  return impl_->total_weight;
}

double MixtureStatistics::objective(const Density& mixture) const {
  const MixtureView view = view_of(mixture);
  impl_->require_under(view);
  const double shift = impl_->total_weight * impl_->frame.log_jacobian() + impl_->missing_log_scale;
  const double in_frame = view.vb != nullptr
                              ? evidence_bound(view.vb->prior(), view.vb->posterior(), impl_->moments)
                              : impl_->moments.log_likelihood;
  return in_frame + shift;
}

void MixtureStatistics::save(Archive& archive, const std::string& prefix) const {
  const MixtureMoments& moments = impl_->moments;
  archive.put(prefix + "n_columns", static_cast<double>(impl_->frame.n_columns()));
  impl_->frame.save(archive, prefix);
  archive.put(prefix + "n_components", static_cast<double>(moments.n_components()));
  archive.put(prefix + "is_diagonal", moments.is_diagonal ? 1.0 : 0.0);
  archive.put(prefix + "shift", moments.shift);
  archive.put(prefix + "constant", impl_->constant);
  archive.put(prefix + "zeroth", moments.zeroth);
  archive.put(prefix + "first", moments.first);
  archive.put(prefix + "second", moments.second);
  if (!impl_->frame.categories.empty()) archive.put(prefix + "category_rows", moments.levels);
  if (std::ranges::any_of(moments.lacking.values(), [](double rows) { return rows != 0.0; }))
    archive.put(prefix + "lacking_rows", moments.lacking);
  archive.put(prefix + "sums", {moments.log_likelihood, impl_->total_weight, impl_->missing_log_scale});
}

MixtureStatistics MixtureStatistics::load(const Archive& archive, const std::string& prefix) {
  Frame frame =
      Frame::load(archive, prefix, archive.integer(prefix + "n_columns", 1, largest_saved_features));
  const Index n = archive.integer(prefix + "n_components", 1, largest_saved_count);
  const Index d = frame.n_features();
  const bool diagonal = archive.integer(prefix + "is_diagonal", 0, 1) == 1;
  const auto matrix = [&](const char* name, Index n_cols) {
    Matrix result = archive.matrix(prefix + name, n, n_cols);
    require_saved(all_finite(result.values()), prefix, "values that are not finite");
    return result;
  };
  // Read before anything is allocated for so many components: the file must hold as much itself.
  Matrix shift = matrix("shift", d);
  Matrix first = matrix("first", d);
  Matrix second = matrix("second", diagonal ? d : d * (d + 1) / 2);
  Matrix levels = frame.categories.empty() ? Matrix(n, 0) : matrix("category_rows", frame.n_levels() + 1);
  Matrix lacking = archive.has(prefix + "lacking_rows") ? matrix("lacking_rows", d) : Matrix(n, d);
  MixtureMoments moments(std::move(shift), diagonal, frame.n_levels());
  moments.zeroth = archive.vector(prefix + "zeroth", n);
  const std::vector<double>& constant = archive.vector(prefix + "constant", n);
  const std::vector<double>& sums = archive.vector(prefix + "sums", 3);
  require_saved(all_finite(moments.zeroth) && all_finite(constant) && all_finite(sums), prefix,
                "values that are not finite");
  moments.first = std::move(first);
  moments.second = std::move(second);
  moments.levels = std::move(levels);
  moments.lacking = std::move(lacking);
  moments.log_likelihood = sums[0];
  return MixtureStatistics(
      std::make_unique<Impl>(Impl{std::move(frame), std::move(moments), constant, sums[1], sums[2]}));
}

namespace {

double floor_of(const DensityOptions& options) {
  const auto* const gmm = options.as<GmmOptions>();
  return (gmm != nullptr ? *gmm : GmmOptions{}).covariance_floor;
}

} // namespace

std::shared_ptr<const Density> update_mixture(const Density& mixture, const MixtureStatistics& statistics,
                                              const DensityOptions& options) {
  const MixtureStatistics::Impl& counted = *statistics.impl_;
  if (!(counted.total_weight > 0.0))
    throw Error(ErrorKind::data, "a mixture cannot be updated by statistics of no rows");
  DensityFitSummary summary;
  summary.stop_reason = StopReason::max_iterations;
  summary.n_iterations = 1;
  summary.objective = statistics.objective(mixture);
  summary.history = {summary.objective};
  const MixtureView view = view_of(mixture);
  if (view.vb != nullptr) {
    VbPosterior posterior = update_posterior(view.vb->prior(), counted.moments);
    summary.n_components = posterior.n_active();
    return std::make_shared<VbMixture>(counted.frame, view.vb->prior(), std::move(posterior), view.vb->form(),
                                       std::move(summary));
  }
  GmmParameters parameters = maximise(counted.moments, view.gmm->parameters().covariance, floor_of(options));
  describe(parameters, counted.total_weight, summary);
  return std::make_shared<Gmm>(counted.frame, std::move(parameters), std::move(summary));
}

} // namespace lacuna
