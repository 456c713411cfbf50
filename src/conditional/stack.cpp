#include "conditional/stack.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "conditional/own_conditionals.hpp"
#include "conditional/probabilities.hpp"
#include "core/archive_checks.hpp"
#include "core/index.hpp"
#include "math/special.hpp"

namespace lacuna {

namespace {

constexpr const char* stack_name = "stack";

std::string member_prefix(const std::string& prefix, std::size_t member) {
  return prefix + "member/" + std::to_string(member) + "/";
}

/// A slope must not lift a class that no member has seen.
void calibrate_scores(const Calibration& calibration, const std::vector<bool>& seen, Matrix& scores) {
  for (Index i = 0; i < scores.n_rows(); ++i) {
    const std::span<double> row(scores.row(i), seen.size());
    for (std::size_t y = 0; y < row.size(); ++y)
      if (!seen[y]) row[y] = -std::numeric_limits<double>::infinity();
    calibration.apply(row);
  }
}

} // namespace

Stack::Stack(Index n_features, std::vector<bool> seen, std::vector<Member> members, Calibration mixed)
    : Conditional({stack_name, n_features, static_cast<Index>(seen.size())}), seen_(std::move(seen)),
      members_(std::move(members)), mixed_(std::move(mixed)) {
  double total = 0.0;
  for (const Member& member : members_) total += member.weight;
  // Once they sum to one they stay as they are, also when they are read from a file.
  constexpr double rounding = 1e-12;
  if (std::abs(total - 1.0) > rounding)
    for (Member& member : members_) member.weight /= total;
}

void Stack::log_probability(MatrixView rows, std::span<double> out) const {
  std::vector<Matrix> by_member;
  log_probability(rows, out, by_member);
}

void Stack::log_probability(MatrixView rows, std::span<double> out, std::vector<Matrix>& by_member) const {
  by_member.assign(members_.size(), Matrix(rows.n_rows, n_classes()));
  for (std::size_t j = 0; j < members_.size(); ++j) {
    members_[j].fitted->log_probability(rows, by_member[j].values());
    calibrate_scores(members_[j].calibration, seen_, by_member[j]);
  }
  Matrix terms(static_cast<Index>(members_.size()), rows.n_rows * n_classes());
  for (std::size_t j = 0; j < members_.size(); ++j) {
    const double log_weight = std::log(members_[j].weight);
    std::ranges::transform(by_member[j].values(), terms.row(static_cast<Index>(j)),
                           [&](double log_p) { return log_weight + log_p; });
  }
  log_sum_exp_columns(terms.view(), out);
  for (Index i = 0; i < rows.n_rows; ++i) {
    const std::span<double> row = out.subspan(at(i * n_classes()), at(n_classes()));
    for (std::size_t y = 0; y < row.size(); ++y)
      if (!seen_[y]) row[y] = -std::numeric_limits<double>::infinity();
    mixed_.apply(row);
  }
}

void Stack::save_parts(Archive& archive, const std::string& prefix) const {
  archive.put(prefix + "seen", std::vector<double>(seen_.begin(), seen_.end()));
  mixed_.save(archive, prefix + "calibration/");
  archive.put(prefix + "n_members", static_cast<double>(members_.size()));
  for (std::size_t j = 0; j < members_.size(); ++j) {
    const std::string name = member_prefix(prefix, j);
    archive.put_text(name + "name", members_[j].name);
    archive.put(name + "weight", members_[j].weight);
    members_[j].calibration.save(archive, name + "calibration/");
    members_[j].fitted->save(archive, name + "fitted/");
  }
}

std::shared_ptr<const Conditional> Stack::load(const Archive& archive, const std::string& prefix,
                                               const ConditionalFacts& facts) {
  std::vector<bool> seen;
  for (const double value : archive.vector(prefix + "seen", facts.n_classes)) {
    if (value != 0.0 && value != 1.0) fail_damaged(prefix + "seen", "holds something else than 0 and 1");
    seen.push_back(value == 1.0);
  }
  if (std::find(seen.begin(), seen.end(), true) == seen.end())
    fail_damaged(prefix + "seen", "knows no class with a label");
  const auto n_members = static_cast<std::size_t>(archive.integer(prefix + "n_members", 1, 1000));
  std::vector<Member> members;
  for (std::size_t j = 0; j < n_members; ++j) {
    const std::string name = member_prefix(prefix, j);
    const double weight = archive.number(name + "weight");
    require_saved(weight > 0.0 && weight <= 1.0, name + "weight", "a weight that is not in (0, 1]");
    members.push_back({require_short(archive.text(name + "name"), name + "name"), weight,
                       Calibration::load(archive, name + "calibration/", facts.n_classes),
                       load_conditional(archive, name + "fitted/")});
    const Conditional& fitted = *members.back().fitted;
    require_saved(fitted.n_features() == facts.n_features && fitted.n_classes() == facts.n_classes,
                  name + "fitted/", "other features or classes than the stack");
  }
  return std::make_shared<Stack>(facts.n_features, std::move(seen), std::move(members),
                                 Calibration::load(archive, prefix + "calibration/", facts.n_classes));
}

ConditionalEntry stack_entry() {
  return {stack_name, Stack::load};
}

} // namespace lacuna
