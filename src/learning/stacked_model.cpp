#include "learning/stacked_model.hpp"

#include <algorithm>
#include <cmath>

#include "core/archive_checks.hpp"
#include "core/index.hpp"
#include "learning/density_conditional.hpp"

namespace lacuna {

double outside_share(double log_ratio, double kappa) {
  const double u = std::clamp(0.5 * (1.0 + (kappa - log_ratio) / region_edge), 0.0, 1.0);
  return u * u * (3.0 - 2.0 * u);
}

std::vector<double> disagreements(const std::vector<Matrix>& by_member, const std::vector<double>& weights) {
  constexpr double say = 0.1;
  std::vector<double> shares;
  double total = 0.0;
  for (const double weight : weights) {
    shares.push_back(weight >= least_member_weight ? weight + say : 0.0);
    total += shares.back();
  }
  for (double& share : shares) share /= total;
  const Index n_rows = by_member.front().n_rows();
  const std::size_t n_classes = at(by_member.front().n_cols());
  std::vector<double> result(at(n_rows));
  std::vector<double> mean(n_classes);
  std::vector<double> p(shares.size() * n_classes);
  for (Index i = 0; i < n_rows; ++i) {
    std::fill(mean.begin(), mean.end(), 0.0);
    for (std::size_t j = 0; j < shares.size(); ++j)
      for (std::size_t y = 0; y < n_classes && shares[j] > 0.0; ++y) {
        p[j * n_classes + y] = std::exp(by_member[j].row(i)[y]);
        mean[y] += shares[j] * p[j * n_classes + y];
      }
    for (std::size_t j = 0; j < shares.size(); ++j)
      for (std::size_t y = 0; y < n_classes && shares[j] > 0.0; ++y)
        result[at(i)] += shares[j] * 0.5 * std::abs(p[j * n_classes + y] - mean[y]);
  }
  return result;
}

StackAnswers::StackAnswers(const Stack& stack, MatrixView rows) : log_p(at(rows.n_rows * stack.n_classes())) {
  std::vector<Matrix> by_member;
  stack.log_probability(rows, log_p, by_member);
  std::vector<double> weights;
  for (const Stack::Member& member : stack.members()) weights.push_back(member.weight);
  disagreement = disagreements(by_member, weights);
}

std::vector<ClassModel> StackedModel::class_models() const {
  for (const Stack::Member& member : conditional->members())
    if (const auto* densities = dynamic_cast<const DensityConditional*>(member.fitted.get()))
      return densities->models();
  return {};
}

void StackedModel::save(Archive& archive, const std::string& prefix) const {
  conditional->save(archive, prefix + "conditional/");
  ratio.save(archive, prefix + "ratio/");
  share->save(archive, prefix + "share/");
  distance->save(archive, prefix + "distance/");
  archive.put(prefix + "n_trust", static_cast<double>(trust.size()));
  for (std::size_t k = 0; k < trust.size(); ++k)
    trust[k].save(archive, prefix + "trust/" + std::to_string(k) + "/");
  hardly_labeled.save(archive, prefix);
  archive.put(prefix + "usual_strangeness", usual_strangeness);
  ranges.save(archive, prefix + "ranges/");
  if (held_out) held_out->save(archive, prefix + "held_out/");
}

std::shared_ptr<const StackedModel> StackedModel::load(const Archive& archive, const std::string& prefix,
                                                       const GenerativeClassifier::Parts& parts) {
  const auto n_classes = static_cast<Index>(parts.class_names.size());
  Index n_features = 0;
  for (const auto& density : parts.initial.density)
    if (density != nullptr) n_features = density->n_features();
  register_density_conditional();
  const auto conditional =
      std::dynamic_pointer_cast<const Stack>(load_conditional(archive, prefix + "conditional/"));
  if (conditional == nullptr || conditional->n_classes() != n_classes ||
      conditional->n_features() != n_features)
    fail_damaged(prefix + "conditional", "is no stack of this classifier");
  std::vector<Trust> trust;
  const Index n_trust = archive.integer(prefix + "n_trust", 0, n_gap_kinds + 1);
  for (Index k = 0; k < n_trust; ++k)
    trust.push_back(Trust::load(archive, prefix + "trust/" + std::to_string(k) + "/"));
  const double usual_strangeness = archive.number(prefix + "usual_strangeness");
  if (!(usual_strangeness >= 0.0 && std::isfinite(usual_strangeness)))
    fail_damaged(prefix + "usual_strangeness", "is no log odds");
  return std::make_shared<StackedModel>(StackedModel{
      conditional, RatioModel::load(archive, prefix + "ratio/", parts.initial, parts.initial_unlabeled),
      LabelShare::load(archive, prefix + "share/", n_features),
      LabelDistance::load(archive, prefix + "distance/", n_features), std::move(trust),
      HardlyLabeled::load(archive, prefix, n_classes), usual_strangeness,
      ColumnRanges::load(archive, prefix + "ranges/", n_features),
      HeldOutAnswers::load(archive, prefix + "held_out/")});
}

} // namespace lacuna
