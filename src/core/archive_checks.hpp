#pragma once

#include <algorithm>
#include <cmath>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/escapes.hpp"
#include "lacuna/core/archive.hpp"
#include "lacuna/core/errors.hpp"

// What every room asks of what it reads from an archive: a damaged file may claim anything.

namespace lacuna {

/// More features, components or rows than any model has.
inline constexpr Index largest_saved_count = Index{1} << 40;
inline constexpr Index largest_saved_features = Index{1} << 24;

/// A text of a model inside an error: cut when it is long, as people may see it.
inline std::string shown(std::string_view text) {
  constexpr std::size_t longest = 80;
  return escaped(text.substr(0, longest)) + (text.size() > longest ? "..." : "");
}

[[noreturn]] inline void fail_damaged(const std::string& name, const std::string& what) {
  throw Error(ErrorKind::data, "the model is damaged or from another version: '" + name + "' " + what);
}

inline void require_saved(bool holds, const std::string& prefix, const std::string& what) {
  if (!holds) throw Error(ErrorKind::data, "the model is damaged: " + prefix + " has " + what);
}

inline bool all_finite(std::span<const double> values) {
  return std::all_of(values.begin(), values.end(), [](double v) { return std::isfinite(v); });
}

inline bool all_positive(std::span<const double> values) {
  return std::all_of(values.begin(), values.end(), [](double v) { return v > 0.0 && std::isfinite(v); });
}

inline const std::vector<double>& finite(const std::vector<double>& values, const std::string& name) {
  if (!all_finite(values)) fail_damaged(name, "holds a value that is not a finite number");
  return values;
}

/// Values that no fit gives are refused before their squares and quotients are beyond all numbers.
inline void require_within(std::span<const double> values, double most, const std::string& name) {
  if (!std::all_of(values.begin(), values.end(), [most](double v) { return std::abs(v) <= most; }))
    fail_damaged(name, "holds a value that no fit gives");
}

/// What mixtures hold in the units of their frame: rows at most so far away, and components so narrow.
inline constexpr double largest_saved_mean = 1e200;
inline constexpr double largest_saved_whitener = 1e100;
/// Weights of rows, degrees of freedom and other counts.
inline constexpr double largest_saved_weight = 1e30;

inline bool all_weights(std::span<const double> values) {
  return std::all_of(values.begin(), values.end(),
                     [](double v) { return v > 0.0 && v <= largest_saved_weight; });
}

/// Longer than a cell of a table may be: a name or a note.
inline constexpr std::size_t longest_saved_text = std::size_t{4} << 20U;

inline const std::string& require_short(const std::string& text, const std::string& name) {
  if (text.size() > longest_saved_text) fail_damaged(name, "holds a text that is too long");
  return text;
}

/// A prefix that grows with what lies inside each other, as a density in a density does.
inline void require_shallow(const std::string& prefix) {
  constexpr std::size_t longest = 500;
  if (prefix.size() > longest)
    throw Error(ErrorKind::data, "the model is damaged: its parts lie too deep inside each other");
}

/// The length of a stored vector, at least 1.
inline Index stored_length(const Archive& archive, const std::string& name) {
  const Tensor& tensor = archive.tensor(name);
  if (tensor.shape.size() != 1 || tensor.shape[0] < 1) fail_damaged(name, "has another shape than expected");
  return tensor.shape[0];
}

} // namespace lacuna
