#include "lacuna/learning/classifier.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/index.hpp"
#include "core/parallel.hpp"
#include "lacuna/core/errors.hpp"
#include "lacuna/data/dataset.hpp"
#include "learning/evidence.hpp"
#include "math/special.hpp"

// Equation numbers refer to docs/math/classifier.md.

namespace lacuna {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

double log_add(double a, double b) {
  const double values[] = {a, b};
  return log_sum_exp(values);
}

/// Everything the classifier says about one block of rows.
class BlockScorer {
public:
  BlockScorer(const GenerativeClassifier::Parts& parts, MatrixView rows, Index first, Scores& scores)
      : parts_(parts), n_classes_(static_cast<Index>(parts.class_names.size())), first_(first),
        scores_(scores), initial_(parts.initial, rows.n_rows) {
    initial_.evaluate(rows);
    for (const ClassModel& draw : parts.draws) draws_.emplace_back(draw, rows.n_rows).evaluate(rows);
    if (parts.uninformative != nullptr) uninformative_ = densities(*parts.uninformative, rows);
    if (parts.initial_unlabeled != nullptr) unlabeled_ = densities(*parts.initial_unlabeled, rows);
    log_weight_ = std::log(parts.informative_weight);
    log_rest_ = std::log1p(-parts.informative_weight);
    log_classes_ = std::log(static_cast<double>(n_classes_));
  }

  void score_row(Index b) {
    const Index row = first_ + b;
    const double ratio = unlabeled_.empty() ? infinity : initial_.best_log_density(b) - unlabeled_[at(b)];
    scores_.log_ratio[at(row)] = ratio;
    scores_.informative[at(row)] = ratio > parts_.kappa ? 1 : 0;
    double* const posterior = scores_.posterior.row(row);
    for (Index y = 0; y < n_classes_; ++y)
      posterior[y] = parts_.posterior == PosteriorForm::joint ? joint(y, b) : product(y, b);
    set_posterior(row, posterior);
  }

private:
  static std::vector<double> densities(const Density& density, MatrixView rows) {
    std::vector<double> out(at(rows.n_rows));
    density.log_density(rows, out);
    return out;
  }

  /// log of the mean over draws of exp(value(draw)).
  template <class Value>
  double mean_over_draws(const Value& value) {
    scratch_.clear();
    for (const ClassEvidence& draw : draws_) scratch_.push_back(value(draw));
    return log_sum_exp(scratch_) - std::log(static_cast<double>(draws_.size()));
  }

  /// log of w q(y|l=1) q(x|y,l=1) + (1-w)/|Y| q(x|l=0) (eq. 3).
  double joint(Index y, Index b) {
    const double informative =
        log_weight_ + mean_over_draws([&](const ClassEvidence& draw) { return draw.log_joint(y, b); });
    if (uninformative_.empty()) return informative;
    return log_add(informative, log_rest_ - log_classes_ + uninformative_[at(b)]);
  }

  /// log of (w q(x|y,l=1) + (1-w) q(x|l=0)) (w q(y|l=1) + (1-w)/|Y|) (eq. 4).
  double product(Index y, Index b) {
    double probability = 0.0;
    for (const ClassModel& draw : parts_.draws) probability += draw.probability[at(y)];
    probability /= static_cast<double>(parts_.draws.size());
    const double w = parts_.informative_weight;
    const double log_prior = std::log(w * probability + (1.0 - w) / static_cast<double>(n_classes_));
    const double informative =
        log_weight_ + mean_over_draws([&](const ClassEvidence& draw) { return draw.log_density(y, b); });
    if (uninformative_.empty()) return log_prior + informative;
    return log_prior + log_add(informative, log_rest_ + uninformative_[at(b)]);
  }

  /// Normalises log values in place, and reads off the prediction and its error probability.
  void set_posterior(Index row, double* posterior) {
    const auto best = static_cast<Index>(std::max_element(posterior, posterior + n_classes_) - posterior);
    const double largest = posterior[best];
    double others = 0.0; // summed, because one minus a probability near one has few digits
    for (Index y = 0; y < n_classes_; ++y) {
      // Divided by their sum below: the logarithm of that sum would be lost beside -1e200, far from all data.
      posterior[y] = std::exp(posterior[y] - largest);
      if (y != best) others += posterior[y];
    }
    const double total = 1.0 + others;
    for (Index y = 0; y < n_classes_; ++y) posterior[y] /= total;
    scores_.prediction[at(row)] = static_cast<int>(best);
    scores_.error_probability[at(row)] = others / total;
  }

  const GenerativeClassifier::Parts& parts_;
  Index n_classes_;
  Index first_;
  Scores& scores_;
  ClassEvidence initial_;
  std::vector<ClassEvidence> draws_;
  std::vector<double> uninformative_;
  std::vector<double> unlabeled_;
  std::vector<double> scratch_;
  double log_weight_;
  double log_rest_;
  double log_classes_;
};

void save_class_model(const ClassModel& model, Archive& archive, const std::string& prefix) {
  archive.put(prefix + "probability", model.probability);
  for (std::size_t y = 0; y < model.density.size(); ++y)
    if (model.density[y] != nullptr)
      model.density[y]->save(archive, prefix + "class/" + std::to_string(y) + "/");
}

ClassModel load_class_model(const Archive& archive, const std::string& prefix, Index n_classes) {
  ClassModel model{archive.vector(prefix + "probability", n_classes), {}};
  for (Index y = 0; y < n_classes; ++y) {
    const double p = model.probability[at(y)];
    const std::string name = prefix + "class/" + std::to_string(y) + "/";
    const bool present = archive.has(name + "family");
    if (!(p >= 0.0 && p <= 1.0 + 1e-9) || present != (p > 0.0))
      throw Error(ErrorKind::data, "the model is damaged: class probabilities and densities do not agree");
    model.density.push_back(present ? load_density(archive, name) : nullptr);
  }
  return model;
}

std::shared_ptr<const Density> load_optional(const Archive& archive, const std::string& prefix) {
  return archive.has(prefix + "family") ? load_density(archive, prefix) : nullptr;
}

} // namespace

Scores GenerativeClassifier::score(MatrixView rows, int threads) const {
  if (rows.n_cols != n_features())
    throw Error(ErrorKind::data, "the rows have " + std::to_string(rows.n_cols) +
                                     " features, the model was fitted with " + std::to_string(n_features()));
  if (!handles_missing_values()) require_complete(rows, {}, 0, "the density of this model");
  Scores scores;
  scores.prediction.resize(at(rows.n_rows));
  scores.error_probability.resize(at(rows.n_rows));
  scores.log_ratio.resize(at(rows.n_rows));
  scores.informative.resize(at(rows.n_rows));
  scores.posterior = Matrix(rows.n_rows, n_classes());
  const Index n_blocks = (rows.n_rows + evidence_block_rows - 1) / evidence_block_rows;
  parallel_for(n_blocks, threads, [&](Index block) {
    const Index first = block * evidence_block_rows;
    const MatrixView part = rows.middle_rows(first, std::min(evidence_block_rows, rows.n_rows - first));
    BlockScorer scorer(parts_, part, first, scores);
    for (Index b = 0; b < part.n_rows; ++b) scorer.score_row(b);
  });
  return scores;
}

bool GenerativeClassifier::handles_missing_values() const {
  const auto can = [](const std::shared_ptr<const Density>& density) {
    return density == nullptr || density->handles_missing_values();
  };
  const auto all_can = [&](const ClassModel& model) {
    return std::all_of(model.density.begin(), model.density.end(), can);
  };
  return can(parts_.uninformative) && can(parts_.initial_unlabeled) && all_can(parts_.initial) &&
         std::all_of(parts_.draws.begin(), parts_.draws.end(), all_can);
}

Index GenerativeClassifier::n_features() const {
  for (const auto& density : parts_.initial.density)
    if (density != nullptr) return density->n_features();
  return 0;
}

void GenerativeClassifier::save(Archive& archive, const std::string& prefix) const {
  archive.put(prefix + "n_classes", static_cast<double>(n_classes()));
  archive.put(prefix + "n_draws", static_cast<double>(parts_.draws.size()));
  archive.put(prefix + "kappa", parts_.kappa);
  archive.put(prefix + "informative_weight", parts_.informative_weight);
  archive.put_choice(prefix + "posterior", parts_.posterior);
  for (Index y = 0; y < n_classes(); ++y)
    archive.put_text(prefix + "class_name/" + std::to_string(y), parts_.class_names[at(y)]);
  save_class_model(parts_.initial, archive, prefix + "initial/");
  for (std::size_t m = 0; m < parts_.draws.size(); ++m)
    save_class_model(parts_.draws[m], archive, prefix + "draw/" + std::to_string(m) + "/");
  if (parts_.uninformative != nullptr) parts_.uninformative->save(archive, prefix + "uninformative/");
  if (parts_.initial_unlabeled != nullptr)
    parts_.initial_unlabeled->save(archive, prefix + "initial/unlabeled/");
}

GenerativeClassifier GenerativeClassifier::load(const Archive& archive, const std::string& prefix) {
  constexpr Index most = 1 << 20;
  const Index n_classes = archive.integer(prefix + "n_classes", 1, most);
  const Index n_draws = archive.integer(prefix + "n_draws", 1, most);
  Parts parts;
  parts.kappa = archive.number(prefix + "kappa");
  parts.informative_weight = archive.number(prefix + "informative_weight");
  if (std::isnan(parts.kappa) || !(parts.informative_weight > 0.0 && parts.informative_weight <= 1.0))
    throw Error(ErrorKind::data, "the model is damaged: kappa or informative_weight is outside its limits");
  parts.posterior = archive.choice<PosteriorForm>(prefix + "posterior");
  for (Index y = 0; y < n_classes; ++y)
    parts.class_names.push_back(archive.text(prefix + "class_name/" + std::to_string(y)));
  parts.initial = load_class_model(archive, prefix + "initial/", n_classes);
  for (Index m = 0; m < n_draws; ++m)
    parts.draws.push_back(load_class_model(archive, prefix + "draw/" + std::to_string(m) + "/", n_classes));
  parts.uninformative = load_optional(archive, prefix + "uninformative/");
  parts.initial_unlabeled = load_optional(archive, prefix + "initial/unlabeled/");

  GenerativeClassifier classifier(std::move(parts));
  const Index d = classifier.n_features();
  const auto agrees = [d](const std::shared_ptr<const Density>& density) {
    return density == nullptr || density->n_features() == d;
  };
  const auto all_agree = [&](const ClassModel& model) {
    return std::all_of(model.density.begin(), model.density.end(), agrees);
  };
  const Parts& loaded = classifier.parts();
  if (d == 0 || !agrees(loaded.uninformative) || !agrees(loaded.initial_unlabeled) ||
      !all_agree(loaded.initial) || !std::all_of(loaded.draws.begin(), loaded.draws.end(), all_agree))
    throw Error(ErrorKind::data, "the model is damaged: its densities have different numbers of features");
  return classifier;
}

} // namespace lacuna
