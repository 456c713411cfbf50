#include "learning/label_share.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/archive_checks.hpp"
#include "core/index.hpp"
#include "lacuna/density/families.hpp"
#include "learning/unlabeled_sample.hpp"
#include "math/special.hpp"

namespace lacuna {

namespace {

constexpr Index most_mixture_rows = 2500;
constexpr Index most_components = 15;
constexpr Index rows_per_component = 40;
/// More columns have no covariances: a component has too few rows for them, and takes too long.
constexpr Index most_correlated_columns = 12;

} // namespace

LabelShare::LabelShare(std::shared_ptr<const Density> joint, double overall)
    : joint_(std::move(joint)), overall_(overall) {}

LabelShare::Answers LabelShare::ask(MatrixView rows) const {
  Matrix extended(rows.n_rows, rows.n_cols + 1);
  for (Index i = 0; i < rows.n_rows; ++i) std::copy_n(rows.row(i), rows.n_cols, extended.row(i));
  std::vector<double> unlabeled(at(rows.n_rows));
  Answers answers{std::vector<double>(at(rows.n_rows)), std::vector<double>(at(rows.n_rows))};
  joint_->log_density(extended.view(), unlabeled);
  for (Index i = 0; i < rows.n_rows; ++i) extended(i, rows.n_cols) = 1.0;
  joint_->log_density(extended.view(), answers.log_density);
  for (std::size_t i = 0; i < unlabeled.size(); ++i) {
    const double labeled = answers.log_density[i];
    answers.log_density[i] = log_sum_exp(labeled, unlabeled[i]);
    answers.log_share[i] = labeled - answers.log_density[i] - std::log(overall_);
  }
  return answers;
}

void LabelShare::save(Archive& archive, const std::string& prefix) const {
  joint_->save(archive, prefix + "joint/");
  archive.put(prefix + "overall", overall_);
}

std::shared_ptr<const LabelShare> LabelShare::load(const Archive& archive, const std::string& prefix,
                                                   Index n_features) {
  std::shared_ptr<const Density> joint = load_density(archive, prefix + "joint/");
  const double overall = archive.number(prefix + "overall");
  if (joint->n_features() != n_features + 1) fail_damaged(prefix + "joint", "has another number of features");
  if (!(overall > 0.0 && overall <= 1.0)) fail_damaged(prefix + "overall", "is no share");
  return std::make_shared<LabelShare>(std::move(joint), overall);
}

LabelShareFit::LabelShareFit(const DensityFitter& fitter, const std::vector<Index>& labeled,
                             std::uint64_t seed)
    : fitter_(fitter), seed_(seed), n_labeled_(labeled.size()) {
  const DatasetView& data = fitter.data();
  std::vector<Index> rows = labeled;
  const RowList sample = sample_unlabeled(fitter, most_mixture_rows, seed);
  rows.insert(rows.end(), sample.rows.begin(), sample.rows.end());
  rows_ = Matrix(static_cast<Index>(rows.size()), data.n_features() + 1);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    std::copy_n(data.features.row(rows[i]), data.n_features(), rows_.row(static_cast<Index>(i)));
    weights_.push_back(data.weight(rows[i]));
  }
  levels_ = data.levels.empty() ? std::vector<Index>(at(data.n_features()), 0) : data.levels;
  levels_.push_back(2);
  VbMixtureOptions options;
  options.components = std::clamp<Index>(rows_.n_rows() / rows_per_component, 4, most_components);
  if (data.n_features() > most_correlated_columns) options.covariance = CovarianceType::diagonal;
  options.max_iterations = 100;
  options.tolerance = 1e-4;
  family_ = make_density_family(options);
}

std::shared_ptr<const LabelShare> LabelShareFit::fit(std::span<const char> hidden,
                                                     const LabelShare* start) const {
  Matrix rows = rows_;
  double n = 0.0;
  for (std::size_t i = 0; i < n_labeled_; ++i) {
    const bool is_labeled = hidden.empty() || hidden[i] == 0;
    rows(static_cast<Index>(i), rows.n_cols() - 1) = is_labeled ? 1.0 : 0.0;
    n += is_labeled ? weights_[i] : 0.0;
  }
  auto joint = fit_joint(WeightedRows(rows.view(), weights_), start == nullptr ? nullptr : &start->joint());
  return std::make_shared<LabelShare>(std::move(joint),
                                      n / std::accumulate(weights_.begin(), weights_.end(), 0.0));
}

std::shared_ptr<const Density> LabelShareFit::fit_joint(const WeightedRows& rows,
                                                        const Density* start) const {
  DensityFitContext context;
  context.levels = levels_;
  context.seed = seed_;
  context.threads = fitter_.threads();
  context.observer = &fitter_.observer();
  context.warm_start = start;
  return family_->fit(rows, context);
}

LabelShareFit::HeldOut LabelShareFit::hold_out() const {
  const Index n_features = rows_.n_cols() - 1;
  HeldOut found{Matrix(rows_.n_rows(), n_features), weights_, std::vector<double>(weights_.size())};
  Matrix rows = rows_;
  for (Index i = 0; i < rows.n_rows(); ++i) {
    std::copy_n(rows.row(i), n_features, found.rows.row(i));
    rows(i, n_features) = i < static_cast<Index>(n_labeled_) ? 1.0 : 0.0;
  }
  for (const Index half : {0, 1}) {
    std::vector<Index> kept;
    std::vector<Index> asked;
    std::vector<double> weights;
    for (Index i = 0; i < rows.n_rows(); ++i) {
      (i % 2 == half ? asked : kept).push_back(i);
      if (i % 2 != half) weights.push_back(weights_[at(i)]);
    }
    if (kept.empty() || asked.empty()) continue;
    const LabelShare mixture(fit_joint(WeightedRows(rows.view(), kept, weights), nullptr), 1.0);
    Matrix questions(static_cast<Index>(asked.size()), n_features);
    for (std::size_t i = 0; i < asked.size(); ++i)
      std::copy_n(rows.row(asked[i]), n_features, questions.row(static_cast<Index>(i)));
    const std::vector<double> answers = mixture.ask(questions.view()).log_density;
    for (std::size_t i = 0; i < asked.size(); ++i) found.log_density[at(asked[i])] = answers[i];
  }
  return found;
}

} // namespace lacuna
