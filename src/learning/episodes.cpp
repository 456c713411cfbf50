#include "learning/episodes.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/index.hpp"
#include "core/order.hpp"
#include "lacuna/core/random.hpp"
#include "learning/embedding.hpp"

namespace lacuna {

namespace {

/// One gap in the making.
class GapMaker {
public:
  GapMaker(const EpisodeRows& labeled, RandomStream& random) : labeled_(labeled), random_(random) {}

  /// Empty where the rows have no such gap.
  std::vector<char> make(GapKind kind) {
    // How much is hidden is drawn first. As two arguments of one call compilers would draw in orders of their
    // own.
    switch (kind) {
    case GapKind::feature: {
      const double quantile = between(0.55, 0.85);
      return beyond(feature(), quantile);
    }
    case GapKind::half_space: {
      const double quantile = between(0.6, 0.85);
      return beyond(projection(), quantile);
    }
    case GapKind::ball: {
      const double quantile = 1.0 - between(0.15, 0.4);
      return beyond(nearness(), quantile);
    }
    case GapKind::class_region: return class_region();
    case GapKind::cluster: return clusters();
    case GapKind::category: return categories();
    }
    return {};
  }

private:
  std::size_t n_rows() const { return labeled_.rows.size(); }
  double between(double low, double high) { return low + (high - low) * random_.uniform(); }
  std::size_t any(std::size_t n) {
    return std::min(n - 1, static_cast<std::size_t>(random_.uniform() * static_cast<double>(n)));
  }
  template <class Value>
  void shuffle(std::vector<Value>& values) {
    for (std::size_t i = values.size(); i > 1; --i) std::swap(values[i - 1], values[any(i)]);
  }
  bool is_category(std::size_t column) const {
    return !labeled_.data.levels.empty() && labeled_.data.levels[column] > 0;
  }
  std::vector<std::size_t> columns(bool of_categories) const {
    std::vector<std::size_t> found;
    for (std::size_t j = 0; j < at(labeled_.data.n_features()); ++j)
      if (is_category(j) == of_categories) found.push_back(j);
    return found;
  }
  double cell(std::size_t i, std::size_t column) const {
    return labeled_.data.features.row(labeled_.rows[i])[column];
  }

  /// The rows whose score is above the given quantile of all scores.
  std::vector<char> beyond(const std::vector<double>& scores, double quantile) const {
    if (scores.empty()) return {};
    std::vector<double> sorted = scores;
    const auto place = static_cast<std::ptrdiff_t>(quantile * static_cast<double>(sorted.size() - 1));
    std::nth_element(sorted.begin(), sorted.begin() + place, sorted.end(), NanLast{});
    std::vector<char> hidden(scores.size());
    for (std::size_t i = 0; i < scores.size(); ++i) hidden[i] = scores[i] > sorted[at(place)] ? 1 : 0;
    return hidden;
  }

  std::vector<double> feature() {
    const std::vector<std::size_t> numbers = columns(false);
    if (numbers.empty()) return {};
    const std::size_t column = numbers[any(numbers.size())];
    const double sign = random_.uniform() < 0.5 ? -1.0 : 1.0;
    std::vector<double> scores(n_rows());
    // A missing value is on neither side.
    for (std::size_t i = 0; i < scores.size(); ++i) {
      const double value = cell(i, column);
      scores[i] = std::isnan(value) ? -1e300 : sign * value;
    }
    return scores;
  }

  std::vector<double> projection() {
    const Matrix& points = labeled_.points;
    std::vector<double> direction(at(points.n_cols()));
    for (double& entry : direction) entry = random_.normal();
    std::vector<double> scores(n_rows());
    for (std::size_t i = 0; i < scores.size(); ++i)
      scores[i] =
          std::inner_product(direction.begin(), direction.end(), points.row(static_cast<Index>(i)), 0.0);
    return scores;
  }

  std::vector<double> nearness() {
    const Matrix& points = labeled_.points;
    const auto point = [&](std::size_t i) {
      return std::span<const double>(points.row(static_cast<Index>(i)), at(points.n_cols()));
    };
    const std::size_t center = any(n_rows());
    std::vector<double> scores(n_rows());
    for (std::size_t i = 0; i < scores.size(); ++i) scores[i] = -squared_distance(point(i), point(center));
    return scores;
  }

  /// Where a class is likely, about as many rows as it has.
  std::vector<char> class_region() {
    const auto label = [&](std::size_t i) { return labeled_.data.labels[at(labeled_.rows[i])]; };
    std::vector<int> classes;
    for (std::size_t i = 0; i < n_rows(); ++i)
      if (std::find(classes.begin(), classes.end(), label(i)) == classes.end()) classes.push_back(label(i));
    const int chosen = classes[any(classes.size())];
    double share = 0.0;
    std::vector<double> scores(n_rows());
    for (std::size_t i = 0; i < scores.size(); ++i) {
      share += label(i) == chosen ? 1.0 / static_cast<double>(n_rows()) : 0.0;
      scores[i] = labeled_.out_of_fold(static_cast<Index>(i), chosen);
    }
    return beyond(scores, 1.0 - std::clamp(share, 0.1, 0.5));
  }

  std::vector<char> clusters() {
    if (labeled_.clusters.empty()) return {};
    const std::vector<int>& cluster = labeled_.clusters[any(labeled_.clusters.size())];
    constexpr double least_hidden_share = 0.15;
    std::vector<int> order(static_cast<std::size_t>(*std::max_element(cluster.begin(), cluster.end()) + 1));
    std::iota(order.begin(), order.end(), 0);
    shuffle(order);
    std::vector<char> hidden(n_rows());
    double n_hidden = 0.0;
    for (const int chosen : order) {
      if (n_hidden >= least_hidden_share * static_cast<double>(n_rows())) break;
      for (std::size_t i = 0; i < hidden.size(); ++i) {
        if (cluster[i] != chosen) continue;
        hidden[i] = 1;
        n_hidden += 1.0;
      }
    }
    return hidden;
  }

  /// A third of the categories that are not rare.
  std::vector<char> categories() {
    const std::vector<std::size_t> categorical = columns(true);
    if (categorical.empty()) return {};
    const std::size_t column = categorical[any(categorical.size())];
    std::vector<int> counts(at(labeled_.data.levels[column]));
    std::vector<std::size_t> levels; // read once; as many as there are counts stands for none
    for (std::size_t i = 0; i < n_rows(); ++i) {
      const double value = cell(i, column);
      const bool is_level = value >= 0.0 && value < static_cast<double>(counts.size());
      levels.push_back(is_level ? static_cast<std::size_t>(value) : counts.size());
      if (is_level) ++counts[levels.back()];
    }
    std::vector<std::size_t> common;
    for (std::size_t l = 0; l < counts.size(); ++l)
      if (counts[l] > 5) common.push_back(l);
    if (common.size() < 2) return {};
    shuffle(common);
    common.resize(std::max<std::size_t>(1, common.size() / 3));
    std::vector<char> hidden(n_rows());
    for (std::size_t i = 0; i < hidden.size(); ++i)
      hidden[i] = std::find(common.begin(), common.end(), levels[i]) != common.end() ? 1 : 0;
    return hidden;
  }

  const EpisodeRows& labeled_;
  RandomStream& random_;
};

bool is_worth_it(const std::vector<char>& hidden) {
  const auto n = static_cast<double>(hidden.size());
  const auto n_hidden = static_cast<double>(std::count(hidden.begin(), hidden.end(), 1));
  return n_hidden >= std::max(5.0, 0.04 * n) && n - n_hidden >= std::max(15.0, 0.35 * n);
}

} // namespace

std::vector<Episode> make_episodes(const EpisodeRows& labeled, Index n, std::uint64_t seed) {
  constexpr double kept_by_chance = 0.01;
  std::vector<Episode> episodes;
  for (Index e = 0; e < n; ++e) {
    RandomStream random(seed, RandomPurpose::episode, static_cast<std::uint64_t>(e));
    GapMaker maker(labeled, random);
    auto kind = static_cast<GapKind>(at(e) % n_gap_kinds);
    std::vector<char> hidden = maker.make(kind);
    if (hidden.empty()) hidden = maker.make(kind = GapKind::half_space);
    // In every other round a few labels are left, as they are where labels are rare and not absent.
    if ((at(e) / n_gap_kinds) % 2 == 1)
      for (char& flag : hidden)
        if (random.uniform() < kept_by_chance) flag = 0;
    if (is_worth_it(hidden)) episodes.push_back({kind, std::move(hidden)});
  }
  return episodes;
}

std::vector<int> labels_by_lot(const DatasetView& data, std::size_t most, std::uint64_t seed) {
  std::vector<int> labels(data.labels.begin(), data.labels.end());
  std::vector<std::pair<std::uint64_t, std::size_t>> lots;
  for (std::size_t i = 0; i < labels.size(); ++i)
    if (labels[i] != missing_label)
      lots.emplace_back(derive_seed(seed, RandomPurpose::episode_label,
                                    static_cast<std::uint64_t>(data.number(static_cast<Index>(i)))),
                        i);
  if (lots.size() <= most) return labels;
  std::nth_element(lots.begin(), lots.begin() + static_cast<std::ptrdiff_t>(most), lots.end());
  for (std::size_t i = most; i < lots.size(); ++i) labels[lots[i].second] = missing_label;
  return labels;
}

} // namespace lacuna
