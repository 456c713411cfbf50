#include <algorithm>
#include <cmath>

#include "core/archive_checks.hpp"
#include "core/index.hpp"
#include "lacuna/core/errors.hpp"
#include "lacuna/learning/classifier.hpp"
#include "learning/class_model_archive.hpp"
#include "learning/stacked_model.hpp"

namespace lacuna {

void save_class_model(const ClassModel& model, Archive& archive, const std::string& prefix) {
  archive.put(prefix + "probability", model.probability);
  for (std::size_t y = 0; y < model.density.size(); ++y)
    if (model.density[y] != nullptr)
      model.density[y]->save(archive, prefix + "class/" + std::to_string(y) + "/");
}

ClassModel load_class_model(const Archive& archive, const std::string& prefix, Index n_classes) {
  ClassModel model{archive.vector(prefix + "probability", n_classes), {}};
  double total = 0.0;
  for (Index y = 0; y < n_classes; ++y) {
    const double p = model.probability[at(y)];
    const std::string name = prefix + "class/" + std::to_string(y) + "/";
    const bool present = archive.has(name + "family");
    if (!(p >= 0.0 && p <= 1.0 + 1e-9) || present != (p > 0.0))
      throw Error(ErrorKind::data, "the model is damaged: class probabilities and densities do not agree");
    model.density.push_back(present ? load_density(archive, name) : nullptr);
    total += p;
  }
  if (!(std::abs(total - 1.0) < 1e-6))
    throw Error(ErrorKind::data, "the model is damaged: class probabilities do not sum to one");
  return model;
}

namespace {

std::shared_ptr<const Density> load_optional(const Archive& archive, const std::string& prefix) {
  return archive.has(prefix + "family") ? load_density(archive, prefix) : nullptr;
}

/// None in models of 0.1.
Shrinkage load_shrinkage(const Archive& archive, const std::string& prefix, Index n_classes) {
  if (!archive.has(prefix + "share")) return {};
  Shrinkage shrinkage{archive.number(prefix + "share"), archive.vector(prefix + "probability", n_classes)};
  bool is_whole = shrinkage.share > 0.0 && shrinkage.share <= 1.0;
  for (const double p : shrinkage.probability) is_whole = is_whole && p >= 0.0 && p <= 1.0 + 1e-9;
  if (!is_whole) throw Error(ErrorKind::data, "the model is damaged: shrinkage is outside its limits");
  return shrinkage;
}

} // namespace

void GenerativeClassifier::save(Archive& archive, const std::string& prefix) const {
  archive.put(prefix + "n_classes", static_cast<double>(n_classes()));
  archive.put(prefix + "n_draws", static_cast<double>(parts_.draws.size()));
  archive.put(prefix + "kappa", parts_.kappa);
  archive.put(prefix + "informative_weight", parts_.informative_weight);
  archive.put_choice(prefix + "posterior", parts_.posterior);
  if (!parts_.guesses_late) archive.put_choice(prefix + "ignorant", parts_.ignorant);
  for (Index y = 0; y < n_classes(); ++y)
    archive.put_text(prefix + "class_name/" + std::to_string(y), parts_.class_names[at(y)]);
  save_class_model(parts_.initial, archive, prefix + "initial/");
  if (parts_.stacked != nullptr) parts_.stacked->save(archive, prefix + "stacked/"); // with the draws
  for (std::size_t m = 0; m < parts_.draws.size() && parts_.stacked == nullptr; ++m)
    save_class_model(parts_.draws[m], archive, prefix + "draw/" + std::to_string(m) + "/");
  if (parts_.uninformative != nullptr) parts_.uninformative->save(archive, prefix + "uninformative/");
  if (parts_.initial_unlabeled != nullptr)
    parts_.initial_unlabeled->save(archive, prefix + "initial/unlabeled/");
  if (parts_.shrinkage.share > 0.0) {
    archive.put(prefix + "shrinkage/share", parts_.shrinkage.share);
    archive.put(prefix + "shrinkage/probability", parts_.shrinkage.probability);
  }
  if (parts_.background) parts_.background->save(archive, prefix + "background/");
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
  parts.guesses_late = !archive.has(prefix + "ignorant");
  if (!parts.guesses_late) parts.ignorant = archive.choice<Ignorant>(prefix + "ignorant");
  for (Index y = 0; y < n_classes; ++y)
    parts.class_names.push_back(
        require_short(archive.text(prefix + "class_name/" + std::to_string(y)), prefix + "class_name"));
  parts.initial = load_class_model(archive, prefix + "initial/", n_classes);
  const bool is_stacked = archive.has(prefix + "stacked/n_trust");
  for (Index m = 0; m < n_draws && !is_stacked; ++m)
    parts.draws.push_back(load_class_model(archive, prefix + "draw/" + std::to_string(m) + "/", n_classes));
  parts.shrinkage = load_shrinkage(archive, prefix + "shrinkage/", n_classes);
  parts.uninformative = load_optional(archive, prefix + "uninformative/");
  parts.initial_unlabeled = load_optional(archive, prefix + "initial/unlabeled/");
  if (is_stacked) {
    if (!std::isfinite(parts.kappa)) fail_damaged(prefix + "kappa", "is not a finite number");
    parts.stacked = StackedModel::load(archive, prefix + "stacked/", parts);
    parts.draws = parts.stacked->class_models();
    if (parts.draws.empty()) parts.draws = {parts.initial};
  }

  GenerativeClassifier classifier(std::move(parts));
  const Index d = classifier.n_features();
  if (archive.has(prefix + "background/weight"))
    classifier.parts_.background = Background::load(archive, prefix + "background/", d);
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
