#include "conditional/forest.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "conditional/boosted_trees.hpp"
#include "conditional/column_scales.hpp"
#include "conditional/forest_growth.hpp"
#include "conditional/own_conditionals.hpp"
#include "conditional/probabilities.hpp"
#include "conditional/tree_passage.hpp"
#include "core/archive_checks.hpp"
#include "core/index.hpp"
#include "core/parallel.hpp"
#include "lacuna/core/random.hpp"

namespace lacuna {

namespace {

constexpr const char* forest_name = "forest";
constexpr int n_trees = 100;
/// Leaves get larger with the labels: whole trees of many rows are slow, and learn their noise.
constexpr double most_leaves = 400.0;

class Forest : public Conditional {
public:
  struct Parts {
    ColumnScales scales;
    std::vector<int> classes; ///< that have labeled rows
    double n_labels = 0.0;    ///< by weight
    GrownForest grown;
  };
  Forest(ConditionalFacts facts, Parts parts)
      : Conditional(std::move(facts)), parts_(std::move(parts)),
        width_((parts_.classes.size() + at(tree_line) - 1) / at(tree_line) * at(tree_line)),
        lines_(parts_.grown.shares.size() / parts_.classes.size() * width_) {
    const std::size_t n_known = parts_.classes.size();
    for (std::size_t line = 0; line * width_ < lines_.size(); ++line)
      std::copy_n(parts_.grown.shares.data() + line * n_known, n_known, lines_.data() + line * width_);
  }

  void log_probability(MatrixView rows, std::span<double> out) const override {
    const TreeEnsemble& trees = parts_.grown.trees;
    const std::size_t n_known = parts_.classes.size();
    const auto n = static_cast<double>(trees.tree_output.size());
    std::vector<double> sums;
    std::vector<double> scores(n_known);
    std::vector<std::int32_t> line_of;
    const Index block_rows = tree_block_rows(rows.n_cols);
    for (Index first = 0; first < rows.n_rows; first += block_rows) {
      const MatrixView block = rows.middle_rows(first, std::min(block_rows, rows.n_rows - first));
      const std::vector<float> cells = BoostedTrees::read(parts_.scales, block);
      TreePassage passage(ladders_, cells);
      sums.assign(at(block.n_rows) * width_, 0.0);
      for (std::size_t tree = 0; tree < trees.tree_output.size(); ++tree) {
        const std::span<const std::int32_t> leaves = passage.leaves(tree);
        const TreeNode* const nodes = trees.nodes.data() + trees.tree_first[tree];
        line_of.clear();
        for (const std::int32_t leaf : leaves)
          line_of.push_back(static_cast<std::int32_t>(nodes[leaf].value));
        tree_kernels().add_lines(lines_.data(), line_of.data(), block.n_rows, static_cast<Index>(width_),
                                 sums.data());
      }
      for (Index i = 0; i < block.n_rows; ++i) {
        // One label more, shared by all: trees that agree are not certain.
        for (std::size_t y = 0; y < n_known; ++y)
          scores[y] =
              std::log((parts_.n_labels * sums[at(i) * width_ + y] / n + 1.0 / static_cast<double>(n_known)) /
                       (parts_.n_labels + 1.0));
        const std::span<double> row = out.subspan(at((first + i) * n_classes()), at(n_classes()));
        spread_scores(scores, parts_.classes, row);
        to_log_probabilities(row);
      }
    }
  }

  static std::shared_ptr<const Conditional> load(const Archive& archive, const std::string& prefix,
                                                 ConditionalFacts facts) {
    Parts parts;
    parts.scales = ColumnScales::load(archive, prefix, facts.n_features);
    parts.classes = load_classes(archive, prefix + "classes", facts.n_classes);
    parts.n_labels = archive.number(prefix + "n_labels");
    if (!(parts.n_labels > 0.0 && parts.n_labels < 1e30)) fail_damaged(prefix + "n_labels", "is no weight");
    parts.grown.trees = TreeEnsemble::load(archive, prefix + "trees/", facts.n_features, 1);
    if (parts.grown.trees.tree_output.empty()) fail_damaged(prefix + "trees/tree_output", "holds no tree");
    const Index n_shares = stored_length(archive, prefix + "shares");
    for (const double share : archive.vector(prefix + "shares", n_shares)) {
      if (!(share >= 0.0 && share <= 1.0)) fail_damaged(prefix + "shares", "holds no shares");
      parts.grown.shares.push_back(static_cast<float>(share));
    }
    const auto n_known = static_cast<Index>(parts.classes.size());
    if (n_shares % n_known != 0) fail_damaged(prefix + "shares", "has another length than expected");
    const Index n_leaves = n_shares / n_known;
    for (const TreeNode& node : parts.grown.trees.nodes)
      if (node.left == 0 && !(node.value >= 0.0F && node.value < static_cast<float>(n_leaves)))
        fail_damaged(prefix + "trees/value", "names a leaf that is not there");
    return std::make_shared<Forest>(std::move(facts), std::move(parts));
  }

private:
  void save_parts(Archive& archive, const std::string& prefix) const override {
    parts_.scales.save(archive, prefix);
    save_classes(archive, prefix + "classes", parts_.classes);
    archive.put(prefix + "n_labels", parts_.n_labels);
    parts_.grown.trees.save(archive, prefix + "trees/");
    archive.put(prefix + "shares", {static_cast<Index>(parts_.grown.shares.size())}, parts_.grown.shares);
  }

  Parts parts_;
  std::size_t width_;        ///< of a line of shares, filled up for the kernel
  std::vector<float> lines_; ///< one per leaf
  TreeLadders ladders_{parts_.grown.trees};
};

} // namespace

std::shared_ptr<const Conditional> ForestFamily::fit(const DatasetView& data,
                                                     const ConditionalFitContext& context) const {
  const LabeledRows labeled = labeled_rows(data);
  Forest::Parts parts;
  parts.scales = ColumnScales::fit(data, labeled);
  parts.classes = labeled.classes;
  parts.n_labels = labeled.total_weight;
  parts.grown.trees.n_features = data.n_features();
  const std::size_t n_features = at(data.n_features());
  std::vector<float> cells(labeled.size() * n_features);
  for (std::size_t i = 0; i < labeled.size(); ++i)
    BoostedTrees::read(parts.scales, data.features.row(labeled.rows[i]),
                       std::span(cells).subspan(i * n_features, n_features));
  const RankedRows rows(data, labeled, cells, context.threads);
  std::vector<GrownForest> grown(n_trees);
  parallel_for(n_trees, context.threads, [&](Index tree) {
    if (context.observer != nullptr) stop_if_cancelled(*context.observer);
    grown[at(tree)] =
        grow_tree(rows, labeled.total_weight / most_leaves,
                  derive_seed(context.seed, RandomPurpose::forest, static_cast<std::uint64_t>(tree)));
  });
  for (const GrownForest& tree : grown) parts.grown.append(tree, rows.n_classes);
  return std::make_shared<Forest>(ConditionalFacts{forest_name, data.n_features(), data.n_classes()},
                                  std::move(parts));
}

ConditionalEntry forest_entry() {
  return {forest_name, Forest::load};
}

} // namespace lacuna
