#include "conditional/boosted_trees.hpp"

#include <algorithm>
#include <utility>

#include "conditional/own_conditionals.hpp"
#include "conditional/probabilities.hpp"
#include "core/archive_checks.hpp"
#include "core/index.hpp"

namespace lacuna {

BoostedTrees::BoostedTrees(ConditionalFacts facts, Parts parts)
    : Conditional(std::move(facts)), parts_(std::move(parts)) {}

void BoostedTrees::read(const ColumnScales& scales, const double* row, std::span<float> cells) {
  constexpr double largest_cell = 1e30; // a float, and not infinite
  for (std::size_t j = 0; j < cells.size(); ++j)
    cells[j] = static_cast<float>(std::clamp(scales.standardised(j, row[j]), -largest_cell, largest_cell));
}

std::vector<float> BoostedTrees::read(const ColumnScales& scales, MatrixView rows) {
  const std::size_t width = at(rows.n_cols);
  std::vector<float> cells(at(rows.n_rows) * width);
  for (Index i = 0; i < rows.n_rows; ++i)
    read(scales, rows.row(i), std::span(cells).subspan(at(i) * width, width));
  return cells;
}

void BoostedTrees::log_probability(MatrixView rows, std::span<double> out) const {
  const std::size_t n_margins = parts_.starts.size();
  std::vector<double> scores(parts_.classes.size());
  std::vector<float> margins;
  const Index block_rows = tree_block_rows(rows.n_cols);
  for (Index first = 0; first < rows.n_rows; first += block_rows) {
    const MatrixView block = rows.middle_rows(first, std::min(block_rows, rows.n_rows - first));
    margins.clear();
    for (Index i = 0; i < block.n_rows; ++i)
      margins.insert(margins.end(), parts_.starts.begin(), parts_.starts.end());
    add_margins(ladders_, read(parts_.scales, block), margins);
    for (Index i = 0; i < block.n_rows; ++i) {
      // With two classes the only margin is that of the last.
      std::copy_n(margins.begin() + static_cast<std::ptrdiff_t>(at(i) * n_margins), n_margins,
                  scores.end() - static_cast<std::ptrdiff_t>(n_margins));
      const std::span<double> row = out.subspan(at((first + i) * n_classes()), at(n_classes()));
      spread_scores(scores, parts_.classes, row);
      to_log_probabilities(row);
    }
  }
}

void BoostedTrees::save_parts(Archive& archive, const std::string& prefix) const {
  parts_.scales.save(archive, prefix);
  save_classes(archive, prefix + "classes", parts_.classes);
  archive.put(prefix + "starts", parts_.starts);
  parts_.trees.save(archive, prefix + "trees/");
}

std::shared_ptr<const Conditional> BoostedTrees::load(const Archive& archive, const std::string& prefix,
                                                      ConditionalFacts facts) {
  Parts parts;
  parts.scales = ColumnScales::load(archive, prefix, facts.n_features);
  parts.classes = load_classes(archive, prefix + "classes", facts.n_classes);
  const Index outputs = n_outputs(parts.classes.size());
  parts.starts = archive.vector(prefix + "starts", outputs);
  for (const double start : parts.starts)
    if (!(std::abs(start) <= 1e6)) fail_damaged(prefix + "starts", "holds a value that no fit gives");
  parts.trees = TreeEnsemble::load(archive, prefix + "trees/", facts.n_features, outputs);
  for (const TreeNode& node : parts.trees.nodes)
    if (node.left == 0 && !(std::abs(node.value) <= 1e6F))
      fail_damaged(prefix + "trees/value", "holds a leaf that no fit gives");
  return std::make_shared<BoostedTrees>(std::move(facts), std::move(parts));
}

ConditionalEntry boosting_entry() {
  return {BoostedTrees::name, BoostedTrees::load};
}

} // namespace lacuna
