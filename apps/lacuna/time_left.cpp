#include "time_left.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>

#include <fmt/format.h>

namespace lacuna::cli {

namespace {

constexpr std::size_t most_steps = 256;
constexpr std::size_t least_steps = 6;
constexpr double least_share = 0.02;    ///< of a stage, before its end can be known
constexpr double time_to_agree = 3.0;   ///< in seconds
constexpr double tolerance = 0.2;       ///< of what is left: estimates within it agree
constexpr double least_tolerance = 2.0; ///< in seconds
constexpr double longest_pauses = 2.0;  ///< of the longest pause between steps: then work has come to a stop
constexpr double longest = 48.0 * 3600.0;

} // namespace

void TimeLeft::begin(std::string_view stage, const Step& step) {
  stage_ = stage;
  steps_ = {step};
  longest_pause_ = 0.0;
  is_known_ = false;
  end_ = step.time;
  agreed_since_ = step.time;
}

/// The time at which the stage ends, if it goes on as in the last part of what is done.
double TimeLeft::end_by_last(double part) const {
  const Step& last = steps_.back();
  const double begin = last.share - part * (last.share - steps_.front().share);
  const auto later = std::ranges::upper_bound(steps_, begin, {}, &Step::share); // never the first
  const Step& before = *std::prev(later);
  return last.time + (1.0 - last.share) * (last.time - before.time) / (last.share - before.share);
}

void TimeLeft::see(std::string_view stage, double share, double now) {
  const Step step{share, now};
  if (steps_.empty() || stage != stage_ || share < steps_.back().share) {
    begin(stage, step);
    return;
  }
  if (share == steps_.back().share) return;
  longest_pause_ = std::max(longest_pause_, now - steps_.back().time);
  steps_.push_back(step);
  const double estimate = end_by_last(0.5);
  const double allowed = std::max(least_tolerance, tolerance * (end_ - now));
  if (std::abs(estimate - end_) > allowed || std::abs(estimate - end_by_last(0.25)) > 1.5 * allowed) {
    is_known_ = false;
    end_ = estimate;
    agreed_since_ = now;
  } else if (!is_known_ && now - agreed_since_ >= time_to_agree && steps_.size() >= least_steps &&
             share - steps_.front().share >= least_share) {
    is_known_ = true;
    end_ = estimate;
  }
  if (steps_.size() < most_steps) return;
  constexpr std::size_t half = most_steps / 2; // every second step, and the last one
  for (std::size_t i = 1; i < half; ++i) steps_[i] = steps_[2 * i];
  steps_[half] = step;
  steps_.resize(half + 1);
}

std::optional<double> TimeLeft::at(double now) const {
  if (!is_known_ || now - steps_.back().time > longest_pauses * longest_pause_ + least_tolerance)
    return std::nullopt;
  const double left = end_ - now;
  if (left < 1.0 || left > longest) return std::nullopt;
  return left;
}

std::string duration_text(double seconds) {
  const auto rounded = [](double value, double step) {
    return step * std::max(1.0, std::round(value / step));
  };
  constexpr double minute = 60.0;
  constexpr double hour = 60.0 * minute;
  if (seconds < 10.0) return fmt::format("{:.0f} s", rounded(seconds, 1.0));
  if (seconds < 1.5 * minute) return fmt::format("{:.0f} s", rounded(seconds, 5.0));
  if (seconds < 1.5 * hour) return fmt::format("{:.0f} min", rounded(seconds / minute, 1.0));
  return fmt::format("{:.0f} h", rounded(seconds / hour, 1.0));
}

} // namespace lacuna::cli
