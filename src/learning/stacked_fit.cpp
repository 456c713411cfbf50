#include "learning/stacked_fit.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "conditional/boosting.hpp"
#include "conditional/class_prior.hpp"
#include "conditional/forest.hpp"
#include "conditional/logistic.hpp"
#include "conditional/xgboost_library.hpp"
#include "core/index.hpp"
#include "data/whole_table.hpp"
#include "lacuna/core/errors.hpp"
#include "lacuna/core/random.hpp"
#include "learning/cross_fit.hpp"
#include "learning/density_conditional.hpp"
#include "learning/evidence.hpp"
#include "learning/region.hpp"
#include "learning/stacked_scorer.hpp"
#include "learning/trust_fit.hpp"
#include "math/special.hpp"

namespace lacuna {

namespace {

/// Where a classifier tells the region, `auto` goes no lower than this, less the soft edge: with labels
/// missing by lot the log ratio is 0 everywhere, and no row may count as outside by chance.
constexpr double lowest_classifier_kappa = 0.0;

/// The user's own: it gets one thread, since threads of its own would come beside lacuna's.
class OwnMember : public ConditionalFamily {
public:
  explicit OwnMember(std::shared_ptr<const ConditionalFamily> own) : own_(std::move(own)) {}
  std::string name() const override { return own_->name(); }
  std::shared_ptr<const Conditional> fit(const DatasetView& data,
                                         const ConditionalFitContext& context) const override {
    return own_->fit(data, {context.seed, 1, context.observer});
  }

private:
  std::shared_ptr<const ConditionalFamily> own_;
};

ConditionalMembers plain_members(std::optional<int> boosting_rounds) {
  ConditionalMembers members = {std::make_shared<LogisticFamily>()};
  if (xgboost_problem().empty()) members.push_back(std::make_shared<BoostingFamily>(boosting_rounds));
  members.push_back(std::make_shared<ClassPriorFamily>());
  return members;
}

} // namespace

StackedFit::StackedFit(SharedModels& shared, const LearningOptions& options)
    : shared_(shared), options_(options), fitter_(shared.fitter()), data_(fitter_.data()) {
  const InitialModels& initial = shared_.initial();
  if (!xgboost_problem().empty())
    fitter_.observer().warning("boosted trees are left out of the stack: " + xgboost_problem());
  // Three things that know nothing of each other, the one that takes longest first.
  const std::vector<std::function<void()>> parts = {
      [&] { learn_region(options); }, [&] { learn_members(options); }, [&] { learn_surroundings(options); }};
  parallel_for(static_cast<Index>(parts.size()), fitter_.threads(), [&](Index part) { parts[at(part)](); });
  if (!ratio_) ratio_.emplace(initial.classes, initial.unlabeled);
  hold_out();
  choose_kappa(options);
  mark_informative();
}

void StackedFit::learn_members(const LearningOptions& options) {
  densities_ = std::make_shared<DensityMember>(fitter_, shared_.initial(), options.seed);
  ConditionalMembers members = {densities_};
  for (auto& member : plain_members({})) members.push_back(member);
  members.insert(members.end() - 1, std::make_shared<ForestFamily>());
  for (const auto& own : options.members) members.push_back(std::make_shared<OwnMember>(own));
  const ConditionalFitContext context{options.seed, fitter_.threads(), &fitter_.observer()};
  recipe_ = learn_stack(data_, members, options.folds, context);
  conditional_ = fit_stack(data_, recipe_, context);
  for (std::size_t j = 0; j < recipe_.members.size(); ++j)
    summary_.members.push_back(
        {recipe_.members[j]->name(), recipe_.weights[j], recipe_.member_log_likelihood[j]});
  summary_.log_likelihood = recipe_.log_likelihood;
}

/// Where labels are: the mixture of rows and whether they have one, what it finds strange, and distances.
void StackedFit::learn_surroundings(const LearningOptions& options) {
  std::vector<Index> labeled;
  for (Index i = 0; i < data_.n_rows(); ++i)
    if (fitter_.is_labeled(i)) labeled.push_back(i);
  distance_fit_ = std::make_unique<LabelDistanceFit>(fitter_, labeled, options.seed);
  distance_ = distance_fit_->fit({});
  share_fit_ = std::make_unique<LabelShareFit>(fitter_, labeled, options.seed);
  share_ = share_fit_->fit({}, nullptr);
  usual_strangeness_ = find_usual_strangeness();
}

/// A classifier of labeled against unlabeled rows, where it tells them apart better than densities do.
void StackedFit::learn_region(const LearningOptions& options) {
  summary_.region = Region::densities;
  if (shared_.initial().unlabeled == nullptr || options.region == Region::densities) return;
  labeling_ = std::make_unique<LabelingFit>(fitter_, plain_members(60), options.folds, options.seed);
  summary_.region_by_classifier = labeling_->log_likelihood();
  if (options.region == Region::automatic) {
    summary_.region_by_densities = densities_log_likelihood(*labeling_);
    if (summary_.region_by_densities > summary_.region_by_classifier) {
      labeling_.reset();
      return;
    }
  }
  summary_.region = Region::classifier;
  ratio_.emplace(labeling_->fit());
}

void StackedFit::choose_kappa(const LearningOptions& options) {
  kappa_ = shared_.initial().kappa;
  const auto* const chosen = std::get_if<AutoKappa>(&options.kappa);
  if (labeling_ == nullptr || chosen == nullptr) return;
  std::vector<double> ratios;
  std::vector<double> weights;
  for (const HeldOut& row : held_out_) ratios.push_back(row.log_ratio);
  for (const Index row : recipe_.rows) weights.push_back(data_.weight(row));
  kappa_ =
      std::max(lowest_classifier_kappa, quantile_threshold(ratios, weights, chosen->alpha)) - region_edge;
}

/// What models that did not see their labels say about the labeled rows.
void StackedFit::hold_out() {
  const Matrix rows = gather_rows(data_, recipe_.rows);
  const std::vector<double> log_shares = share_->ask(rows.view()).log_share;
  const std::vector<double> disagreement = disagreements(recipe_.member_out_of_fold, recipe_.weights);
  std::vector<double> distance(at(rows.n_rows()));
  const RowBlocks blocks(rows.n_rows(), {.min_rows = 128, .max_blocks = 64});
  parallel_for(blocks.n_blocks, fitter_.threads(), [&](Index block) {
    for (Index i = blocks.first(block); i < blocks.first(block + 1); ++i)
      distance[at(i)] = distance_->of_other(rows.row(i));
  });
  std::vector<double> ratios = labeling_ != nullptr ? labeling_->labeled_ratios() : density_ratios();
  for (std::size_t i = 0; i < ratios.size(); ++i) {
    if (labeling_ != nullptr) ratios[i] = classifier_ratio(ratios[i], log_shares[i]);
    held_out_.push_back({ratios[i], log_shares[i], disagreement[i], distance[i]});
  }
}

/// The same by densities alone; NaN for a row of a class that has no other.
std::vector<double> StackedFit::density_ratios() {
  const InitialModels& initial = shared_.initial();
  std::vector<double> of_row(at(data_.n_rows()), initial.unlabeled == nullptr
                                                     ? std::numeric_limits<double>::infinity()
                                                     : std::numeric_limits<double>::quiet_NaN());
  if (initial.unlabeled != nullptr) {
    const HeldOutRows& held_out = shared_.cross_fit().held_out();
    const Matrix rows = gather_rows(data_, held_out.rows.rows);
    const std::vector<double> unlabeled = log_densities(*initial.unlabeled, rows.view(), fitter_.threads());
    for (std::size_t i = 0; i < unlabeled.size(); ++i) {
      const double* const densities = held_out.log_density.row(static_cast<Index>(i));
      of_row[at(held_out.rows.rows[i])] =
          *std::max_element(densities, densities + data_.n_classes()) - unlabeled[i];
    }
  }
  std::vector<double> ratios;
  for (const Index row : recipe_.rows) ratios.push_back(of_row[at(row)]);
  return ratios;
}

/// How well the densities tell labeled rows from unlabeled ones, on rows and by models as LabelingFit judges
/// its classifiers: the mean log likelihood of what each row is.
double StackedFit::densities_log_likelihood(const LabelingFit& labeling) {
  const HeldOutRows& held_out = shared_.cross_fit().held_out();
  const RowList& sample = labeling.sample();
  // The density of the unlabeled rows is fitted to every second one of the sample and judged by the others.
  RowList kept;
  RowList asked;
  for (std::size_t i = 0; i < sample.rows.size(); ++i)
    (i % 2 == 0 ? kept : asked).add(sample.rows[i], sample.weights[i]);
  if (held_out.rows.empty() || asked.empty()) return -std::numeric_limits<double>::infinity();
  const auto unlabeled = fitter_.fit(kept, options_.seed, fitter_.threads());
  const auto log_likelihood = [&](double log_odds) { return -std::log1p(std::exp(-log_odds)); };
  double sum = 0.0;
  double total = 0.0;
  const Matrix labeled_rows = gather_rows(data_, held_out.rows.rows);
  const std::vector<double> of_labeled = log_densities(*unlabeled, labeled_rows.view(), fitter_.threads());
  for (std::size_t i = 0; i < of_labeled.size(); ++i) {
    const auto row = static_cast<Index>(i);
    const double ratio = log_sum_exp({held_out.log_joint.row(row), at(data_.n_classes())}) - of_labeled[i];
    sum += held_out.rows.weights[i] * log_likelihood(ratio + labeling.log_odds());
    total += held_out.rows.weights[i];
  }
  const Matrix asked_rows = gather_rows(data_, asked.rows);
  const std::vector<double> of_asked = log_densities(*unlabeled, asked_rows.view(), fitter_.threads());
  visit_evidence(shared_.initial().classes, asked_rows.view(), 1,
                 [&](Index first, const ClassEvidence& evidence, Index n) {
                   for (Index b = 0; b < n; ++b) {
                     const std::size_t i = at(first + b);
                     const double ratio = evidence.log_total(b) - of_asked[i];
                     sum += 2.0 * asked.weights[i] * log_likelihood(-ratio - labeling.log_odds());
                     total += 2.0 * asked.weights[i];
                   }
                 });
  return sum / total;
}

/// How many unlabeled rows are inside, and how much lies outside, by models that have not seen them.
void StackedFit::mark_informative() {
  RegionCounts counts;
  if (labeling_ != nullptr) {
    RegionPass::Classifier by{*ratio_, share_, {}, labeling_->sampled_ratios()};
    for (const Index row : labeling_->sample().rows)
      by.numbers.push_back(static_cast<double>(data_.number(row)));
    RegionPass pass(std::move(by), kappa_);
    show_all(data_, pass, fitter_.threads(), fitter_.observer());
    counts = pass.counts();
  } else if (fitter_.fits_whole_table() && shared_.initial().unlabeled != nullptr) {
    counts = count_region(fitter_, shared_.initial());
  } else {
    for (Index i = 0; i < data_.n_rows(); ++i) {
      const bool is_unlabeled = fitter_.is_unlabeled(i);
      counts.count(is_unlabeled, is_unlabeled ? shared_.initial().log_ratio[at(i)] : 0.0, kappa_,
                   fitter_.n_behind(i), fitter_.weight_behind(i));
    }
  }
  n_informative_ = static_cast<Index>(std::llround(counts.n_informative));
  outside_weight_ = counts.outside_weight / counts.total;
  outside_ = counts.outside / counts.total;
}

/// Labeled rows that lie outside themselves: what a fold that hid them said about them.
void StackedFit::add_own_rows(std::vector<HiddenRow>& rows) const {
  constexpr double least_depth = 1.0;
  for (std::size_t i = 0; i < recipe_.rows.size(); ++i) {
    if (!recipe_.judged[i] || !(kappa_ - held_out_[i].log_ratio > least_depth)) continue;
    HiddenRow row = HiddenRow::of({recipe_.out_of_fold.row(static_cast<Index>(i)), at(data_.n_classes())},
                                  at(data_.labels[at(recipe_.rows[i])]));
    row.outside = outside_share(held_out_[i].log_ratio, kappa_);
    row.signals = Signals::of(kappa_ - held_out_[i].log_ratio, held_out_[i].distance, held_out_[i].log_share,
                              held_out_[i].disagreement);
    rows.push_back(row);
  }
}

std::vector<JudgedRow> StackedFit::judged_rows() const {
  std::vector<JudgedRow> rows;
  for (std::size_t i = 0; i < recipe_.rows.size(); ++i) {
    const HeldOut& known = held_out_[i];
    if (!recipe_.judged[i] || std::isnan(known.log_ratio)) continue;
    // The share is one of all rows, the ratio one of those without a label (docs/math/diagnosis.md, eq. 4).
    const double overall = share_->overall();
    const double share = std::min(std::exp(known.log_share) * overall, 1.0 - 1e-9);
    const double of_share = std::log(share / (1.0 - share)) - std::log(overall / (1.0 - overall));
    const double* const p = recipe_.out_of_fold.row(static_cast<Index>(i));
    const auto best = std::max_element(p, p + data_.n_classes()) - p;
    rows.push_back({data_.weight(recipe_.rows[i]),
                    known.log_ratio,
                    {of_share, labeling_ == nullptr ? of_share : labeling_->labeled_ratios()[i]},
                    best != data_.labels[at(recipe_.rows[i])]});
  }
  return rows;
}

/// A mixture that fits badly, as in many columns, finds ordinary rows unlike all that it has seen. So what
/// rows of the table themselves show, to a mixture that did not see them, is no evidence for the background.
double StackedFit::find_usual_strangeness() const {
  if (options_.background == BackgroundForm::none) return 0.0;
  constexpr double strangest_share = 0.02; // of the rows may be strange indeed
  constexpr double strange_at_most = 0.05; // is how likely the others may be so
  const Background background = fitter_.plain_background();
  const LabelShareFit::HeldOut held_out = share_fit_->hold_out();
  std::vector<double> ordinariness;
  for (std::size_t i = 0; i < held_out.log_density.size(); ++i)
    ordinariness.push_back(
        -background.log_odds(held_out.rows.row(static_cast<Index>(i)), held_out.log_density[i]));
  const double usual = -quantile_threshold(std::move(ordinariness), held_out.weights, strangest_share);
  // Rows that weigh next to nothing leave only the background, with infinite odds.
  return std::isfinite(usual) ? std::max(0.0, usual - std::log(strange_at_most / (1.0 - strange_at_most)))
                              : 0.0;
}

std::shared_ptr<const StackedModel> StackedFit::finish() {
  std::vector<double> labels_of_class(at(data_.n_classes()));
  for (const Index row : recipe_.rows) labels_of_class[at(data_.labels[at(row)])] += data_.weight(row);
  StackedModel model{conditional_,
                     *ratio_,
                     share_,
                     distance_,
                     {},
                     HardlyLabeled::of(labels_of_class, outside_),
                     usual_strangeness_,
                     ColumnRanges::of(fitter_.reference(), data_.levels)};
  if (options_.trust != TrustForm::none && fitter_.class_order().size() > 1 && labels_of_class.size() > 1) {
    const TrustFit fit{.fitter = fitter_,
                       .recipe = recipe_,
                       .densities = *densities_,
                       .initial = shared_.initial(),
                       .labeling = labeling_.get(),
                       .share_fit = *share_fit_,
                       .share = *share_,
                       .distance_fit = *distance_fit_,
                       .kappa = kappa_,
                       .form = options_.trust,
                       .threads = fitter_.threads(),
                       .seed = options_.seed};
    std::vector<HiddenRow> hidden = hide_and_ask(fit, summary_.gaps);
    add_own_rows(hidden);
    model.trust =
        fit_trust(hidden, options_.trust, data_.n_classes(), static_cast<Index>(recipe_.rows.size()));
    summary_.deepest = std::numeric_limits<double>::infinity();
    for (const Trust& trust : model.trust)
      summary_.deepest = std::min(summary_.deepest, 3.0 * trust.deepest());
  }
  // Who trusts nothing, or only what every kind of gap shows, believes no more than that.
  if (options_.trust != TrustForm::regions || model.trust.empty() || model.trust.front().is_none())
    model.hardly_labeled.belief = 0.0;
  check_itself(model);
  model.held_out = held_out_answers(model);
  return std::make_shared<const StackedModel>(std::move(model));
}

/// The posterior of a labeled row by models that did not see its label; the class that it predicts.
std::size_t StackedFit::answer_held_out(const StackedModel& model, std::size_t i,
                                        std::span<double> posterior) const {
  std::vector<double> log_p;
  for (std::size_t y = 0; y < posterior.size(); ++y)
    log_p.push_back(std::log(recipe_.out_of_fold.row(static_cast<Index>(i))[y]));
  const HeldOut& known = held_out_[i];
  answer_row(model, kappa_, {log_p, known.log_ratio, known.disagreement, known.log_share, known.distance},
             posterior);
  return best_class(posterior, log_p);
}

HeldOutAnswers StackedFit::held_out_answers(const StackedModel& model) const {
  std::vector<HeldOutAnswers::Row> rows;
  std::vector<double> posterior(at(data_.n_classes()));
  for (std::size_t i = 0; i < recipe_.rows.size(); ++i) {
    if (!recipe_.judged[i] || !(held_out_[i].log_ratio > kappa_)) continue;
    const std::size_t best = answer_held_out(model, i, posterior);
    const Index row = recipe_.rows[i];
    const auto label = static_cast<std::size_t>(data_.labels[at(row)]);
    rows.push_back(
        {posterior[label], 1.0 - posterior[best], best != label, held_out_[i].log_share, data_.weight(row)});
  }
  return HeldOutAnswers(rows);
}

SelfCheck StackedFit::check_rows(const StackedModel& model, std::span<const std::size_t> rows) const {
  SelfCheck check;
  double total = 0.0;
  double squares = 0.0;
  std::vector<double> posterior(at(data_.n_classes()));
  for (const std::size_t i : rows) {
    const Index row = recipe_.rows[i];
    const std::size_t best = answer_held_out(model, i, posterior);
    const double weight = data_.weight(row);
    check.announced += weight * (1.0 - posterior[best]);
    check.made += best == static_cast<std::size_t>(data_.labels[at(row)]) ? 0.0 : weight;
    total += weight;
    squares += weight * weight;
    ++check.n_rows;
  }
  if (check.n_rows == 0) return check;
  check.announced /= total;
  check.made /= total;
  // Wilson's interval, for as many rows as the weights stand for.
  constexpr double z = 1.96;
  const double n = total * total / squares;
  const double center = (check.made + z * z / (2.0 * n)) / (1.0 + z * z / n);
  const double half =
      z / (1.0 + z * z / n) * std::sqrt(check.made * (1.0 - check.made) / n + z * z / (4.0 * n * n));
  check.low = std::max(0.0, center - half);
  check.high = std::min(1.0, center + half);
  return check;
}

/// Announced against made errors on rows whose labels were held out; a breach is a warning.
void StackedFit::check_itself(const StackedModel& model) {
  std::vector<std::size_t> rows;
  for (std::size_t i = 0; i < recipe_.rows.size(); ++i)
    if (recipe_.judged[i] && !std::isnan(held_out_[i].log_ratio)) rows.push_back(i);
  summary_.all = check_rows(model, rows);
  std::sort(rows.begin(), rows.end(), [&](std::size_t a, std::size_t b) {
    return std::pair(held_out_[a].log_ratio, a) < std::pair(held_out_[b].log_ratio, b);
  });
  rows.resize((rows.size() + 9) / 10);
  summary_.deep = check_rows(model, rows);
  const auto warn = [&](const SelfCheck& check, const char* which) {
    if (check.n_rows == 0 || check.announced >= check.low) return;
    fitter_.observer().warning(
        fmt::format("self-check: on {} the model announces {:.1f} % errors and makes {:.1f} % (95 % interval "
                    "{:.1f} to {:.1f} "
                    "%): do not rely on its numbers there; label more rows, or try another {} or {}",
                    which, 100.0 * check.announced, 100.0 * check.made, 100.0 * check.low, 100.0 * check.high,
                    mention("density"), mention("features")));
  };
  warn(summary_.all, "held-out labeled rows");
  warn(summary_.deep, "the tenth of them that is least like the others");
}

} // namespace lacuna
