#include "conditional/tree_ensemble.hpp"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "conditional/tree_passage.hpp"
#include "conditional/xgboost_trees.hpp"
#include "lacuna/core/random.hpp"
#include "tests/expect_error.hpp"

namespace lacuna::testing {
namespace {

using test::expect_error;
constexpr float lack = std::numeric_limits<float>::quiet_NaN();

/// Two trees for two outputs. The first: x0 < 0.5 goes to 1, else by category x1 in {1, 33} to 4, others
/// to 2. The second is a leaf.
TreeEnsemble example() {
  TreeEnsemble trees;
  trees.n_features = 2;
  trees.n_outputs = 2;
  trees.tree_output = {0, 1};
  trees.tree_first = {0, 5, 6};
  trees.nodes = {{1, 0, 0.5F, -1, false}, {0, 0, 1.0F, -1, false}, {3, 1, 0.0F, 0, true},
                 {0, 0, 2.0F, -1, false}, {0, 0, 4.0F, -1, false}, {0, 0, -7.0F, -1, false}};
  trees.set_first = {0, 2};
  trees.set_words = {2U, 2U};
  return trees;
}

float first_output(const TreeEnsemble& trees, float x0, float x1) {
  const float row[] = {x0, x1};
  float outputs[] = {100.0F, 0.0F};
  trees.add_margins(row, outputs);
  EXPECT_EQ(outputs[1], -7.0F);
  return outputs[0] - 100.0F;
}

TEST(TreeEnsemble, WalksAsTheNodesSay) {
  const TreeEnsemble trees = example();
  EXPECT_EQ(first_output(trees, 0.4F, 1), 1.0F);
  EXPECT_EQ(first_output(trees, std::nextafter(0.5F, 0.0F), 1), 1.0F);
  EXPECT_EQ(first_output(trees, 0.5F, 1), 4.0F); // not less
  EXPECT_EQ(first_output(trees, 0.5F, 33), 4.0F);
  EXPECT_EQ(first_output(trees, 0.5F, 0), 2.0F);
  EXPECT_EQ(first_output(trees, 0.5F, 32), 2.0F);
  EXPECT_EQ(first_output(trees, 0.5F, 64), 2.0F); // beyond the set
  EXPECT_EQ(first_output(trees, 0.5F, 1e30F), 2.0F);
  EXPECT_EQ(first_output(trees, 0.5F, -1), 2.0F);
  EXPECT_EQ(first_output(trees, lack, 1), 4.0F);    // right
  EXPECT_EQ(first_output(trees, lack, lack), 2.0F); // then left
}

TEST(TreeEnsemble, SaysInWhichLeafARowEnds) {
  const TreeEnsemble trees = example();
  const auto leaf = [&](std::size_t tree, float x0, float x1) {
    const float row[] = {x0, x1};
    return &trees.leaf(tree, row) - trees.nodes.data();
  };
  EXPECT_EQ(leaf(0, 0.4F, 1), 1);
  EXPECT_EQ(leaf(0, 0.5F, 0), 3);
  EXPECT_EQ(leaf(0, 0.5F, 33), 4);
  EXPECT_EQ(leaf(0, lack, lack), 3);
  EXPECT_EQ(leaf(1, 0.4F, 1), 5); // the second tree is a leaf
}

/// A tree of random splits of numbers and, in that share of them, categories; every third leaf at another
/// depth.
void add_random_tree(TreeEnsemble& trees, RandomStream& random, std::int32_t set, double share_of_sets,
                     std::size_t most_nodes) {
  std::vector<TreeNode> tree(1);
  for (std::size_t node = 0; node < tree.size() && tree.size() < most_nodes; ++node) {
    if (node > 4 && random.uniform() < 0.3) continue;
    const bool is_category = random.uniform() < share_of_sets;
    const auto feature = is_category ? 2 : static_cast<std::int32_t>(2.0 * random.uniform());
    tree[node] = {static_cast<std::int32_t>(tree.size()), feature, static_cast<float>(random.uniform()),
                  is_category ? set : -1, random.uniform() < 0.5};
    tree.resize(tree.size() + 2);
  }
  for (TreeNode& node : tree)
    if (node.left == 0) node.value = static_cast<float>(random.uniform());
  trees.nodes.insert(trees.nodes.end(), tree.begin(), tree.end());
  trees.tree_first.push_back(static_cast<Index>(trees.nodes.size()));
  trees.tree_output.push_back(static_cast<std::int32_t>(trees.tree_output.size() % 3));
}

TEST(TreeEnsemble, RowsSideBySideEndWhereEachOfThemEnds) {
  RandomStream random(7, RandomPurpose::simulation);
  TreeEnsemble trees{3, 3, {}, {0}, {}, {0}, {}};
  const std::int32_t set = trees.add_set(std::vector<char>{0, 1, 1, 0, 1});
  for (int tree = 0; tree < 40; ++tree) add_random_tree(trees, random, set, tree % 2 == 0 ? 0.2 : 0.0, 60);
  // Too many nodes for any but a walk; and none but the root.
  add_random_tree(trees, random, set, 0.0, 3000);
  add_random_tree(trees, random, set, 0.0, 1);
  const TreeLadders ladders(trees);
  for (const std::size_t n_rows : {1, 7, 8, 15, 16, 17, 32, 33, 64, 65, 100, 200}) {
    std::vector<float> rows;
    for (std::size_t i = 0; i < n_rows; ++i)
      for (int j = 0; j < 3; ++j)
        rows.push_back(
            random.uniform() < 0.2
                ? lack
                : static_cast<float>(j < 2 ? random.uniform() : std::floor(6.0 * random.uniform())));
    // Numbers that a split has for its value go right, zeros of either sign alike.
    for (std::size_t i = 0; i < 2 && i < n_rows; ++i) rows[3 * i] = trees.nodes[0].value;
    for (std::size_t i = 2; i < 4 && i < n_rows; ++i) rows[3 * i + 1] = i == 2 ? 0.0F : -0.0F;
    TreePassage passage(ladders, rows);
    std::vector<float> expected(3 * n_rows, 0.5F);
    for (std::size_t tree = 0; tree < trees.tree_output.size(); ++tree) {
      std::vector<std::int32_t> leaves(n_rows);
      trees.find_leaves(tree, rows, leaves);
      const std::span<const std::int32_t> passed = passage.leaves(tree);
      ASSERT_TRUE(std::equal(passed.begin(), passed.end(), leaves.begin(), leaves.end())) << tree;
      for (std::size_t i = 0; i < n_rows; ++i) {
        const TreeNode& leaf = trees.leaf(tree, std::span(rows).subspan(3 * i, 3));
        ASSERT_EQ(&trees.nodes[static_cast<std::size_t>(trees.tree_first[tree] + leaves[i])], &leaf);
        expected[3 * i + static_cast<std::size_t>(trees.tree_output[tree])] += leaf.value;
      }
    }
    std::vector<float> outputs(3 * n_rows, 0.5F);
    add_margins(ladders, rows, outputs);
    EXPECT_EQ(outputs, expected); // the same sums in the same order
  }
}

TEST(TreeEnsemble, RowsWalkThroughWhatIsNoTree) {
  TreeEnsemble trees{1, 1, {0, 0}, {0, 7, 14}, {}, {0}, {}};
  const auto split = [](std::int32_t left, float bound) { return TreeNode{left, 0, bound, -1, false}; };
  const auto leaf = [](float value) { return TreeNode{0, 0, value, -1, false}; };
  // Both children of the first root have the same two; the second root reaches three nodes of seven.
  trees.nodes = {split(1, 0.5F), split(3, 0.2F), split(3, 0.7F), split(5, 0.1F), leaf(1.0F),
                 leaf(2.0F),     leaf(3.0F),     split(5, 0.5F), split(2, 0.2F), split(4, 0.7F),
                 leaf(4.0F),     leaf(5.0F),     leaf(6.0F),     leaf(7.0F)};
  Archive archive;
  trees.save(archive, "");
  const TreeEnsemble loaded = TreeEnsemble::load(archive, "", 1, 1); // it is safe, and so not refused
  std::vector<float> rows;
  for (int i = 0; i < 100; ++i) rows.push_back(0.01F * static_cast<float>(i));
  const TreeLadders ladders(loaded);
  TreePassage passage(ladders, rows);
  for (const std::size_t tree : {0U, 1U}) {
    std::vector<std::int32_t> expected(rows.size());
    loaded.find_leaves(tree, rows, expected);
    const std::span<const std::int32_t> leaves = passage.leaves(tree);
    EXPECT_TRUE(std::ranges::equal(leaves, expected));
  }
}

TEST(TreeKernels, AddLinesInTheOrderOfTheirRows) {
  constexpr Index width = 2 * tree_line;
  std::vector<float> lines;
  for (Index k = 0; k < 3 * width; ++k) lines.push_back(0.1F * static_cast<float>(k));
  const std::vector<std::int32_t> line_of{2, 0, 2, 1};
  std::vector<double> sums(line_of.size() * width, 1.0 / 3.0);
  tree_kernels().add_lines(lines.data(), line_of.data(), 4, width, sums.data());
  for (std::size_t i = 0; i < line_of.size(); ++i)
    for (std::size_t k = 0; k < width; ++k)
      EXPECT_EQ(sums[i * width + k],
                1.0 / 3.0 + static_cast<double>(lines[static_cast<std::size_t>(line_of[i]) * width + k]));
}

TEST(TreeEnsemble, AddsSetsOfLevels) {
  // Sets around the length of a word, with levels at its ends; each is asked by a tree of its own.
  TreeEnsemble trees{1, 1, {}, {0}, {}, {0}, {}};
  const std::vector<std::size_t> sizes{1, 31, 32, 33, 64, 70};
  const auto is_right = [](std::size_t set, std::size_t level) {
    return (level + set) % 3 == 0 || level == 31;
  };
  for (std::size_t k = 0; k < sizes.size(); ++k) {
    std::vector<char> goes_right;
    for (std::size_t level = 0; level < sizes[k]; ++level) goes_right.push_back(is_right(k, level) ? 1 : 0);
    const std::int32_t set = trees.add_set(goes_right);
    EXPECT_EQ(set, static_cast<std::int32_t>(k));
    trees.nodes.insert(trees.nodes.end(),
                       {{1, 0, 0.0F, set, false}, {0, 0, -1.0F, -1, false}, {0, 0, 1.0F, -1, false}});
    trees.tree_output.push_back(0);
    trees.tree_first.push_back(static_cast<Index>(trees.nodes.size()));
  }
  Archive archive;
  trees.save(archive, "");
  const TreeEnsemble loaded = TreeEnsemble::load(archive, "", 1, 1); // what is built passes all checks
  for (std::size_t k = 0; k < sizes.size(); ++k)
    for (std::size_t level = 0; level < 200; ++level) {
      const float row[] = {static_cast<float>(level)};
      const float expected = level < sizes[k] && is_right(k, level) ? 1.0F : -1.0F; // unknown levels go left
      EXPECT_EQ(trees.leaf(k, row).value, expected) << "set " << k << ", level " << level;
      EXPECT_EQ(loaded.leaf(k, row).value, expected) << "set " << k << ", level " << level;
    }
}

Archive saved() {
  Archive archive;
  example().save(archive, "t/");
  return archive;
}

TEST(TreeEnsemble, ComesBackFromAnArchive) {
  const TreeEnsemble trees = TreeEnsemble::load(saved(), "t/", 2, 2);
  EXPECT_EQ(first_output(trees, 0.5F, 33), 4.0F);
  EXPECT_EQ(first_output(trees, lack, lack), 2.0F);
  Archive none;
  TreeEnsemble{2, 2, {}, {0}, {}, {0}, {}}.save(none, "t/");
  EXPECT_TRUE(TreeEnsemble::load(none, "t/", 2, 2).nodes.empty());
}

void expect_refused(const std::string& name, std::size_t place, double value) {
  SCOPED_TRACE(name);
  Archive archive = saved();
  Tensor tensor = archive.tensor("t/" + name);
  tensor.values[place] = value;
  archive.put("t/" + name, tensor);
  expect_error(ErrorKind::data, {name}, [&] { TreeEnsemble::load(archive, "t/", 2, 2); });
}

TEST(TreeEnsemble, RefusesWhatWouldWalkAstray) {
  expect_refused("left", 2, 1);     // back to where it came from
  expect_refused("left", 2, 2);     // itself
  expect_refused("left", 0, 4);     // its right child is in another tree
  expect_refused("left", 0, 1e9);   // far behind
  expect_refused("left", 5, 1);     // beyond the last tree
  expect_refused("left", 0, -1);    // in front
  expect_refused("left", 0, 1.5);   // between
  expect_refused("feature", 0, 2);  // no such feature
  expect_refused("feature", 1, -1); // even of a leaf
  expect_refused("set", 2, 1);      // no such set
  expect_refused("set", 2, -2);
  expect_refused("value", 1, INFINITY);
  expect_refused("value", 1, 1e39); // no float
  expect_refused("missing_left", 0, 2);
  expect_refused("set_words", 0, -1);
  expect_refused("set_words", 0, 4294967296.0);
  expect_refused("set_first", 1, 1);
  expect_refused("set_first", 0, 1);
  expect_refused("tree_first", 1, 0);
  expect_refused("tree_first", 1, 6);
  expect_refused("tree_first", 2, 5);
  expect_refused("tree_output", 0, 2);
  expect_refused("tree_output", 0, NAN);
}

/// As XGBoost may write it: children far apart and in front of others, a node that is unused.
const std::string json = R"({"learner": {"gradient_booster": {"model": {
  "tree_info": [1],
  "trees": [{"left_children": [4, -1, -1, -1, -1], "right_children": [1, -1, -1, -1, -1],
             "split_indices": [1, 0, 0, 0, 0], "split_conditions": [0, 2.5, 9, 9, -1.5], "default_left": [1, 0, 0, 0, 0],
             "categories_nodes": [0], "categories_segments": [0], "categories_sizes": [2], "categories": [0, 40]}]
}}}})";

TreeEnsemble parse(const std::string& text) {
  const std::vector<std::uint8_t> bytes = nlohmann::json::to_ubjson(nlohmann::json::parse(text));
  return parse_xgboost_trees({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, 2, 2);
}

TEST(XgboostTrees, AreNumberedAnew) {
  const TreeEnsemble trees = parse(json);
  ASSERT_EQ(trees.nodes.size(), 3U);
  const auto second_output = [&](float category) {
    const float row[] = {0.0F, category};
    float outputs[] = {0.0F, 0.0F};
    trees.add_margins(row, outputs);
    EXPECT_EQ(outputs[0], 0.0F);
    return outputs[1];
  };
  EXPECT_EQ(second_output(0), 2.5F);
  EXPECT_EQ(second_output(40), 2.5F);
  EXPECT_EQ(second_output(39), -1.5F);
  EXPECT_EQ(second_output(lack), -1.5F);
  Archive archive;
  trees.save(archive, "");
  TreeEnsemble::load(archive, "", 2, 2); // what is parsed passes all checks
}

TEST(XgboostTrees, RefusesAnotherFormat) {
  const auto refuse = [](const std::string& from, const std::string& to) {
    SCOPED_TRACE(to);
    std::string changed = json;
    changed.replace(changed.find(from), from.size(), to);
    expect_error(ErrorKind::internal, {"XGBoost"}, [&] { parse(changed); });
  };
  expect_error(ErrorKind::internal, {"XGBoost"}, [&] { parse_xgboost_trees("{", 2, 2); });
  refuse("left_children", "left_offspring");
  refuse("[4, -1", "[5, -1"); // no such node
  refuse("[4, -1", "[0, -1"); // a cycle
  refuse("\"split_indices\": [1", "\"split_indices\": [2");
  refuse("\"categories_sizes\": [2]", "\"categories_sizes\": [3]");
  refuse("\"tree_info\": [1]", "\"tree_info\": [2]");
  refuse("\"tree_info\": [1]", "\"tree_info\": [0, 1]");
  refuse("[0, 40]", "[0, \"x\"]");
}

} // namespace
} // namespace lacuna::testing
