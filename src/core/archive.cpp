#include "lacuna/core/archive.hpp"

#include <cmath>

#include "core/archive_checks.hpp"

namespace lacuna {

void Archive::put(const std::string& name, Tensor tensor) {
  tensors_[name] = std::move(tensor);
}

void Archive::put(const std::string& name, double value) {
  put(name, Tensor{{1}, {value}});
}

void Archive::put(const std::string& name, std::vector<double> values) {
  const auto size = static_cast<Index>(values.size());
  put(name, Tensor{{size}, std::move(values)});
}

void Archive::put(const std::string& name, const Matrix& matrix) {
  put(name, Tensor{{matrix.n_rows(), matrix.n_cols()}, {matrix.values().begin(), matrix.values().end()}});
}

void Archive::put(const std::string& name, std::vector<Index> shape, std::span<const float> values) {
  put(name, Tensor{std::move(shape), {values.begin(), values.end()}, true});
}

void Archive::put_text(const std::string& name, std::string text) {
  texts_[name] = std::move(text);
}

const Tensor& Archive::tensor(const std::string& name) const {
  const auto found = tensors_.find(name);
  if (found == tensors_.end()) fail_damaged(name, "is missing");
  return found->second;
}

double Archive::number(const std::string& name) const {
  return vector(name, 1)[0];
}

Index Archive::integer(const std::string& name, Index low, Index high) const {
  const double value = number(name);
  if (!(value >= static_cast<double>(low) && value <= static_cast<double>(high)) ||
      value != std::floor(value))
    fail_damaged(name,
                 "is not a whole number between " + std::to_string(low) + " and " + std::to_string(high));
  return static_cast<Index>(value);
}

const std::vector<double>& Archive::vector(const std::string& name, Index size) const {
  const Tensor& found = tensor(name);
  if (found.shape != std::vector<Index>{size}) fail_damaged(name, "has another shape than expected");
  return found.values;
}

Matrix Archive::matrix(const std::string& name, Index n_rows, Index n_cols) const {
  const Tensor& found = tensor(name);
  if (found.shape != std::vector<Index>{n_rows, n_cols})
    fail_damaged(name, "has another shape than expected");
  return {n_rows, n_cols, found.values};
}

const std::string& Archive::text(const std::string& name) const {
  const auto found = texts_.find(name);
  if (found == texts_.end()) fail_damaged(name, "is missing");
  return found->second;
}

std::size_t Archive::place_among(const std::string& name, std::span<const std::string_view> names) const {
  if (tensors_.contains(name))
    return static_cast<std::size_t>(integer(name, 0, static_cast<Index>(names.size()) - 1));
  const std::string& chosen = text(name);
  std::string known;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (chosen == names[i]) return i;
    known += (i == 0 ? "" : ", ") + std::string(names[i]);
  }
  fail_damaged(name, "is '" + shown(chosen) + "', expected one of " + known);
}

} // namespace lacuna
