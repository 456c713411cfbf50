#include "report/regions.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include <fmt/format.h>

#include "core/index.hpp"
#include "report/words.hpp"

namespace lacuna {

namespace {

constexpr Index fewest_rows = 100;
constexpr Index max_features = 64;
constexpr int n_parts = 3; // low, middle, high
// A part stands out when it differs from all rows by this much.
constexpr double remarkable = 0.05;

/// Where one feature is cut. A feature with few values may have fewer parts than three.
struct Cuts {
  double low = 0.0;     ///< values up to here are low
  double high = 0.0;    ///< values above are high
  bool is_flag = false; ///< 0 or 1, such as one category of a column

  int part(double value) const { return value > high ? 2 : value > low ? 1 : 0; }
};

Cuts cuts_of(MatrixView features, Index column) {
  std::vector<double> values(at(features.n_rows));
  for (Index i = 0; i < features.n_rows; ++i) values[at(i)] = features(i, column);
  const bool is_flag =
      std::all_of(values.begin(), values.end(), [](double v) { return v == 0.0 || v == 1.0; });
  if (is_flag) return {0.0, 0.5, true};
  std::sort(values.begin(), values.end());
  const std::size_t n = values.size();
  return {values[n / 3], std::max(values[n / 3], values[2 * n / 3]), false};
}

struct Sums {
  Index n = 0;
  Index n_errors = 0;
  double announced = 0.0;
  double expected() const { return announced / static_cast<double>(n); }
  double made() const { return static_cast<double>(n_errors) / static_cast<double>(n); }
};

struct Part {
  Index first = 0;
  Index second = 0; ///< the same as `first` for one feature alone
  int first_part = 0;
  int second_part = 0;
  Sums sums;
};

std::string condition(const std::string& name, const Cuts& cuts, int part) {
  if (cuts.is_flag) return part > 0 ? fmt::format("{} holds", name) : fmt::format("{} does not hold", name);
  if (part == 0) return fmt::format("{} is at most {:.3g}", name, cuts.low);
  if (part == 2) return fmt::format("{} is above {:.3g}", name, cuts.high);
  return fmt::format("{} is between {:.3g} and {:.3g}", name, cuts.low, cuts.high);
}

class Search {
public:
  explicit Search(const RegionRows& rows) : rows_(rows), n_features_(rows.features.n_cols) {
    for (Index j = 0; j < n_features_; ++j) cuts_.push_back(cuts_of(rows.features, j));
    parts_.resize(at(rows.features.n_rows * n_features_));
    for (Index i = 0; i < rows.features.n_rows; ++i) {
      for (Index j = 0; j < n_features_; ++j)
        parts_[at(i * n_features_ + j)] = static_cast<char>(cuts_[at(j)].part(rows.features(i, j)));
      ++all_.n;
      all_.n_errors += rows.is_error[at(i)] ? 1 : 0;
      all_.announced += rows.error_probability[at(i)];
    }
    for (Index a = 0; a < n_features_; ++a)
      for (Index b = a; b < n_features_; ++b) look_at(a, b);
  }

  std::vector<ReportWords> words() const {
    std::vector<ReportWords> result;
    if (doubtful_ && doubtful_->sums.expected() > all_.expected() + remarkable) {
      const Sums& sums = doubtful_->sums;
      const Interval interval = clopper_pearson(sums.n, sums.n_errors, interval_level);
      const char* ending = sums.expected() >= interval.low ? "It does not know there, and says so."
                           : knows_nothing(sums)
                               ? "It says that it does not know there; its guesses happened to be bad ones."
                               : "It does not know there, and says too little.";
      result.push_back({"Most doubt where " + place(*doubtful_), figures(sums) + " " + ending});
    }
    if (surprising_ && !same(doubtful_, surprising_))
      result.push_back({"Too sure where " + place(*surprising_),
                        figures(surprising_->sums) + " Do not rely on it there."});
    return result;
  }

  std::optional<JudgedRows> too_sure() const {
    if (!surprising_) return {};
    const Sums& sums = surprising_->sums;
    return JudgedRows{"where " + place(*surprising_), sums.n, sums.expected(), sums.made()};
  }

private:
  static bool same(const std::optional<Part>& a, const std::optional<Part>& b) {
    return a && b && a->first == b->first && a->second == b->second && a->first_part == b->first_part &&
           a->second_part == b->second_part;
  }

  bool knows_nothing(const Sums& sums) const {
    return lacuna::knows_nothing(sums.expected(), rows_.n_classes);
  }

  std::string place(const Part& part) const {
    std::string first =
        condition(rows_.feature_names[at(part.first)], cuts_[at(part.first)], part.first_part);
    if (part.first == part.second) return first;
    return first + " and " +
           condition(rows_.feature_names[at(part.second)], cuts_[at(part.second)], part.second_part);
  }

  std::string figures(const Sums& sums) const {
    return fmt::format("{} of the {} rows looked at: expects {} errors, made {}.", count_words(sums.n),
                       count_words(all_.n), percent_words(sums.expected()), percent_words(sums.made()));
  }

  void look_at(Index a, Index b) {
    std::array<Sums, n_parts * n_parts> cells{};
    for (Index i = 0; i < rows_.features.n_rows; ++i) {
      Sums& cell = cells[at(parts_[at(i * n_features_ + a)] * n_parts + parts_[at(i * n_features_ + b)])];
      ++cell.n;
      cell.n_errors += rows_.is_error[at(i)] ? 1 : 0;
      cell.announced += rows_.error_probability[at(i)];
    }
    const Index fewest = std::max<Index>(30, rows_.features.n_rows / 50);
    for (int first = 0; first < n_parts; ++first) {
      for (int second = 0; second < n_parts; ++second) {
        if (a == b && first != second) continue;
        const Part part{a, b, first, second, cells[at(first * n_parts + second)]};
        if (part.sums.n < fewest) continue;
        if (!doubtful_ || part.sums.expected() > doubtful_->sums.expected()) doubtful_ = part;
        consider_surprise(part);
      }
    }
  }

  // Many parts are looked at, so chance alone would give some of them a bad interval at the usual level.
  void consider_surprise(const Part& part) {
    const double excess = part.sums.made() - part.sums.expected();
    if (excess < remarkable || knows_nothing(part.sums)) return;
    if (surprising_ && excess <= surprising_->sums.made() - surprising_->sums.expected()) return;
    const double n_looks = static_cast<double>(n_features_ * n_features_ * n_parts * n_parts);
    const double level = 1.0 - (1.0 - interval_level) / n_looks;
    if (clopper_pearson(part.sums.n, part.sums.n_errors, level).low > part.sums.expected())
      surprising_ = part;
  }

  const RegionRows& rows_;
  Index n_features_;
  std::vector<Cuts> cuts_;
  std::vector<char> parts_;
  Sums all_;
  std::optional<Part> doubtful_;
  std::optional<Part> surprising_;
};

bool can_be_searched(const RegionRows& rows) {
  const Index n_features = rows.features.n_cols;
  return rows.features.n_rows >= fewest_rows && n_features >= 1 && n_features <= max_features;
}

} // namespace

bool knows_nothing(double error_probability, Index n_classes) {
  return error_probability > 0.9 * (1.0 - 1.0 / static_cast<double>(n_classes));
}

std::vector<ReportWords> region_words(const RegionRows& rows) {
  return can_be_searched(rows) ? Search(rows).words() : std::vector<ReportWords>{};
}

std::optional<JudgedRows> too_sure_part(const RegionRows& rows) {
  return can_be_searched(rows) ? Search(rows).too_sure() : std::nullopt;
}

} // namespace lacuna
