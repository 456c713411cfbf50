#include "learning/hardly_labeled.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>

#include "core/archive_checks.hpp"
#include "math/special.hpp"

namespace lacuna {

namespace {

/// Labels from which on a class is known well enough.
constexpr double enough_labels = 12.0;
/// Where there are several classes to compare with, it must also have this share of what the middle one has.
constexpr double enough_share = 0.35;
/// What is less hard than this counts as not hard at all.
constexpr double least_hardness = 0.05;
/// They are never taken to be all of it: the others live there too.
constexpr double most_of_outside = 0.7;
/// As if a class had at least so many labels when its share is compared with that outside.
constexpr double least_labels = 1.0;
/// With so many labels in all, half of what trust leaves open is believed of extrapolations to hard classes.
constexpr double labels_to_believe = 100.0;
constexpr double largest_shift = 1e15; ///< more than any weights give
/// Before the labels are counted: how likely a class is hidden, and the scale of the classes' log sizes, as
/// if known from two of them.
constexpr double hidden_before = 0.1;
constexpr double scale_before = 0.5;
constexpr double scale_degrees = 2.0;

double sum_of(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0);
}

double middle_of(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

/// Of all rows: what a class of this table has if it is like those that have labels. Where most of them are
/// rare, a class that is hardly labeled is no larger for it; where there are two, none tells of the other.
double usual_share(std::vector<double> labels_of_class) {
  const double even = 1.0 / static_cast<double>(labels_of_class.size());
  const double total = sum_of(labels_of_class);
  if (labels_of_class.size() < 3 || total == 0.0) return even;
  std::erase(labels_of_class, 0.0);
  return std::min(even, middle_of(labels_of_class) / total);
}

/// Log density of n numbers whose squared distances to their mean add up to `squares`: a normal sample whose
/// mean may be anywhere (density 1) and whose variance is scaled inverse chi-squared.
double log_evidence(double n, double squares) {
  const double degrees = scale_degrees + n - 1.0;
  const double before = scale_degrees * scale_before * scale_before;
  return log_gamma(0.5 * degrees) - log_gamma(0.5 * scale_degrees) +
         0.5 * (scale_degrees * std::log(before) - degrees * std::log(before + squares) -
                (n - 1.0) * std::log(std::numbers::pi) - std::log(n));
}

/// For log sizes in ascending order: the log probability that those before k are hidden, up to a constant.
std::vector<double> log_probabilities(const std::vector<double>& sorted, double log_range) {
  std::vector<double> result(sorted.size(), -std::numeric_limits<double>::infinity());
  double mean = 0.0;
  double squares = 0.0;
  for (std::size_t k = sorted.size(); k-- > 0;) {
    const auto n_seen = static_cast<double>(sorted.size() - k);
    const auto n_hidden = static_cast<double>(k);
    const double step = sorted[k] - mean;
    mean += step / n_seen;
    squares += step * (sorted[k] - mean);
    if (k > 0 && sorted[k] == sorted[k - 1]) continue; // as many labels: hidden together or not at all
    result[k] = log_evidence(n_seen, squares) + n_hidden * std::log(hidden_before) +
                n_seen * std::log1p(-hidden_before) - (n_hidden + 1.0) * log_range;
  }
  return result;
}

} // namespace

std::vector<double> hidden_probabilities(const std::vector<double>& labels_of_class) {
  const double total = sum_of(labels_of_class);
  std::vector<double> result(labels_of_class.size(), 1.0);
  if (result.size() < 3 || total == 0.0) return result;
  std::vector<double> sorted;
  for (const double n : labels_of_class) sorted.push_back(std::log(n + 0.5));
  std::sort(sorted.begin(), sorted.end());
  std::vector<double> p = log_probabilities(sorted, std::log(std::log1p(2.0 * total)));
  const double largest = *std::max_element(p.begin(), p.end());
  for (double& value : p) value = std::exp(value - largest);
  const double sum = sum_of(p);
  std::vector<double> hidden(p.size(), 0.0); // those at each place: when more than them are
  for (std::size_t k = p.size() - 1; k-- > 0;) hidden[k] = hidden[k + 1] + p[k + 1] / sum;
  for (std::size_t y = 0; y < result.size(); ++y) {
    const auto place = std::lower_bound(sorted.begin(), sorted.end(), std::log(labels_of_class[y] + 0.5));
    result[y] = std::min(1.0, hidden[static_cast<std::size_t>(place - sorted.begin())]);
  }
  return result;
}

HardlyLabeled HardlyLabeled::of(const std::vector<double>& labels_of_class, double outside) {
  HardlyLabeled result;
  const double enough =
      std::max(enough_labels, labels_of_class.size() > 2 ? enough_share * middle_of(labels_of_class) : 0.0);
  const std::vector<double> hidden = hidden_probabilities(labels_of_class);
  for (std::size_t y = 0; y < labels_of_class.size(); ++y) {
    const double hardness = hidden[y] * std::clamp(1.0 - labels_of_class[y] / enough, 0.0, 1.0);
    result.hardness.push_back(hardness >= least_hardness || labels_of_class.size() < 3 ? hardness : 0.0);
  }
  const double sum = sum_of(result.hardness);
  result.share = sum > 0.0
                     ? std::min(most_of_outside, usual_share(labels_of_class) * sum / std::max(outside, 1e-9))
                     : 0.0;
  result.shift.assign(labels_of_class.size(), 1.0);
  if (result.share == 0.0) return result;
  const double total = sum_of(labels_of_class);
  result.belief = total / (total + labels_to_believe);
  for (std::size_t y = 0; y < labels_of_class.size(); ++y) {
    const double frequency =
        result.share * result.hardness[y] / sum + (1.0 - result.share) * labels_of_class[y] / total;
    result.shift[y] = std::max(1.0, frequency * total / std::max(labels_of_class[y], least_labels));
  }
  return result;
}

double HardlyLabeled::probability(std::size_t y) const {
  const auto n = static_cast<double>(hardness.size());
  if (share == 0.0) return 1.0 / n;
  return share * hardness[y] / sum_of(hardness) + (1.0 - share) / n;
}

/// How much of an extrapolation to class y is kept. What looks like a class with enough labels may be one
/// that has hardly any, but not the other way round.
double HardlyLabeled::kept(std::size_t y, double trust) const {
  return hardness[y] > 0.0 ? trust + (1.0 - trust) * share * belief : trust * (1.0 - share);
}

double HardlyLabeled::extrapolate(double trust, std::span<double> p) const {
  double total = 0.0;
  for (std::size_t y = 0; y < p.size(); ++y) total += p[y] *= shift[y];
  double extrapolated = 0.0;
  for (std::size_t y = 0; y < p.size(); ++y) extrapolated += p[y] *= kept(y, trust) / total;
  for (std::size_t y = 0; y < p.size(); ++y) p[y] += (1.0 - extrapolated) * probability(y);
  return extrapolated;
}

void HardlyLabeled::save(Archive& archive, const std::string& prefix) const {
  archive.put(prefix + "hardness", hardness);
  archive.put(prefix + "hardly_labeled_share", share);
  archive.put(prefix + "hardly_labeled_shift", shift);
  archive.put(prefix + "hardly_labeled_belief", belief);
}

HardlyLabeled HardlyLabeled::load(const Archive& archive, const std::string& prefix, Index n_classes) {
  HardlyLabeled result{archive.vector(prefix + "hardness", n_classes),
                       archive.number(prefix + "hardly_labeled_share"),
                       archive.number(prefix + "hardly_labeled_belief"),
                       archive.vector(prefix + "hardly_labeled_shift", n_classes)};
  for (const double hardness : result.hardness)
    if (!(hardness >= 0.0 && hardness <= 1.0)) fail_damaged(prefix + "hardness", "holds no shares");
  if (!(result.share >= 0.0 && result.share <= 1.0) ||
      (result.share > 0.0 && !(sum_of(result.hardness) > 0.0)))
    fail_damaged(prefix + "hardly_labeled_share", "is no share");
  if (!(result.belief >= 0.0 && result.belief <= 1.0))
    fail_damaged(prefix + "hardly_labeled_belief", "is no share");
  for (const double shift : result.shift)
    if (!(shift >= 1.0 && shift <= largest_shift))
      fail_damaged(prefix + "hardly_labeled_shift", "holds no ratios");
  return result;
}

} // namespace lacuna
