#include "learning/region_pass.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/archive_checks.hpp"
#include "core/index.hpp"
#include "core/parallel.hpp"
#include "learning/class_model_archive.hpp"
#include "learning/density_conditional.hpp"
#include "learning/evidence.hpp"
#include "learning/region.hpp"
#include "learning/stacked_model.hpp"

namespace lacuna {

void RegionCounts::count(bool is_unlabeled, double ratio, double kappa, double n_behind, double weight) {
  total += weight;
  if (!is_unlabeled) return;
  if (ratio > kappa)
    n_informative += n_behind;
  else
    outside_weight += weight;
  outside += outside_share(ratio, kappa) * weight;
}

void RegionPass::add(const PassingRows& rows, int threads, const Observer& /*observer*/) {
  const MatrixView features = rows.rows.features();
  const std::vector<double> ratios =
      classifier_ ? classifier_ratios(rows, threads)
                  : log_ratios(densities_->classes, *densities_->unlabeled, features,
                               std::vector<double>(at(features.n_rows), densities_->share), threads);
  for (Index b = 0; b < features.n_rows; ++b) {
    const double weight = rows.rows.weight(b);
    const bool is_unlabeled = !rows.is_labeled(rows.first + b) && weight > 0.0;
    counts_.count(is_unlabeled, ratios[at(b)], kappa_, 1.0, weight);
  }
}

std::vector<double> RegionPass::classifier_ratios(const PassingRows& block, int threads) const {
  const Classifier& by = *classifier_;
  const MatrixView rows = block.rows.features();
  std::vector<double> log_labeled(at(rows.n_rows), std::numeric_limits<double>::quiet_NaN());
  const auto first_number = static_cast<double>(block.first);
  for (auto it = std::ranges::lower_bound(by.numbers, first_number);
       it != by.numbers.end() && *it < first_number + static_cast<double>(rows.n_rows); ++it)
    log_labeled[static_cast<std::size_t>(*it - first_number)] = by.log_labeled[at(it - by.numbers.begin())];
  std::vector<double> all(at(rows.n_rows));
  const Index n_tasks = (rows.n_rows + evidence_block_rows - 1) / evidence_block_rows;
  parallel_for(n_tasks, threads, [&](Index task) {
    const Index first = task * evidence_block_rows;
    const MatrixView some = rows.middle_rows(first, std::min(evidence_block_rows, rows.n_rows - first));
    const std::vector<double> log_shares = by.share->ask(some).log_share;
    const std::vector<double> ratios = by.ratio.log_ratios(some, log_shares);
    for (std::size_t b = 0; b < ratios.size(); ++b) {
      const std::size_t i = at(first) + b;
      all[i] = std::isnan(log_labeled[i]) ? ratios[b] : classifier_ratio(log_labeled[i], log_shares[b]);
    }
  });
  return all;
}

void RegionPass::save(Archive& archive, const std::string& prefix) const {
  archive.put(prefix + "kappa", kappa_);
  if (densities_) {
    archive.put(prefix + "n_classes", static_cast<double>(densities_->classes.density.size()));
    save_class_model(densities_->classes, archive, prefix + "classes/");
    densities_->unlabeled->save(archive, prefix + "unlabeled/");
    archive.put(prefix + "share", densities_->share);
    return;
  }
  classifier_->ratio.save(archive, prefix + "ratio/");
  archive.put(prefix + "n_features", static_cast<double>(classifier_->share->joint().n_features() - 1));
  classifier_->share->save(archive, prefix + "label_share/");
  if (classifier_->numbers.empty()) return;
  archive.put(prefix + "numbers", classifier_->numbers);
  archive.put(prefix + "log_labeled", classifier_->log_labeled);
}

std::unique_ptr<RowPass> RegionPass::load(const Archive& archive, const std::string& prefix) {
  const double kappa = archive.number(prefix + "kappa");
  if (archive.has(prefix + "n_classes")) {
    const Index n_classes = archive.integer(prefix + "n_classes", 1, largest_saved_count);
    return std::make_unique<RegionPass>(Densities{load_class_model(archive, prefix + "classes/", n_classes),
                                                  load_density(archive, prefix + "unlabeled/"),
                                                  archive.number(prefix + "share")},
                                        kappa);
  }
  const Index n_features = archive.integer(prefix + "n_features", 1, largest_saved_features);
  Classifier by{RatioModel::load_classifier(archive, prefix + "ratio/", n_features),
                LabelShare::load(archive, prefix + "label_share/", n_features),
                {},
                {}};
  if (archive.has(prefix + "numbers")) {
    const Index n = stored_length(archive, prefix + "numbers");
    by.numbers = archive.vector(prefix + "numbers", n);
    by.log_labeled = archive.vector(prefix + "log_labeled", n);
  }
  return std::make_unique<RegionPass>(std::move(by), kappa);
}

void RegionPass::save_counts(Archive& archive) const {
  archive.put("region", {counts_.n_informative, counts_.total, counts_.outside_weight, counts_.outside});
}

void RegionPass::add_counts(const Archive& archive) {
  const std::vector<double>& more = archive.vector("region", 4);
  counts_.n_informative += more[0];
  counts_.total += more[1];
  counts_.outside_weight += more[2];
  counts_.outside += more[3];
}

} // namespace lacuna
