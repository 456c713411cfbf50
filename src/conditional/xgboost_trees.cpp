#include "conditional/xgboost_trees.hpp"

#include <algorithm>
#include <new>
#include <string>
#include <utility>

#include <nlohmann/json.hpp>

#include "core/index.hpp"
#include "lacuna/core/errors.hpp"

namespace lacuna {

namespace {

using Json = nlohmann::json;

/// The columns of one tree: node i has place i in each. Nodes are in no order, and some may be unused.
struct XgboostTree {
  explicit XgboostTree(const Json& tree)
      : left(tree.at("left_children").get<std::vector<std::int32_t>>()),
        right(tree.at("right_children").get<std::vector<std::int32_t>>()),
        feature(tree.at("split_indices").get<std::vector<std::int32_t>>()),
        value(tree.at("split_conditions").get<std::vector<float>>()),
        missing_left(tree.at("default_left").get<std::vector<int>>()), categories_of(left.size()) {
    const auto nodes = tree.at("categories_nodes").get<std::vector<std::size_t>>();
    const auto firsts = tree.at("categories_segments").get<std::vector<std::size_t>>();
    const auto sizes = tree.at("categories_sizes").get<std::vector<std::size_t>>();
    const auto categories = tree.at("categories").get<std::vector<std::uint32_t>>();
    for (std::size_t i = 0; i < nodes.size(); ++i)
      for (std::size_t c = firsts.at(i); c < firsts.at(i) + sizes.at(i); ++c)
        categories_of.at(nodes[i]).push_back(categories.at(c));
  }

  std::vector<std::int32_t> left; ///< -1: a leaf
  std::vector<std::int32_t> right;
  std::vector<std::int32_t> feature;
  std::vector<float> value;
  std::vector<int> missing_left;
  std::vector<std::vector<std::uint32_t>> categories_of; ///< empty: a number is compared
};

/// Returns the number of the new set.
std::int32_t add_set(const std::vector<std::uint32_t>& categories, TreeEnsemble& trees) {
  const std::uint32_t most = *std::max_element(categories.begin(), categories.end());
  const std::size_t first = trees.set_words.size();
  trees.set_words.resize(first + most / 32 + 1);
  for (const std::uint32_t category : categories)
    trees.set_words[first + category / 32] |= 1U << category % 32;
  trees.set_first.push_back(static_cast<Index>(trees.set_words.size()));
  return static_cast<std::int32_t>(trees.set_first.size()) - 2;
}

/// Numbers the nodes anew, level by level from the root, so that children stand together behind their parent.
void add_tree(const XgboostTree& tree, TreeEnsemble& trees) {
  std::vector<std::int32_t> order{0};
  for (std::size_t place = 0; place < order.size(); ++place) {
    const auto i = static_cast<std::size_t>(order[place]);
    TreeNode node;
    if (tree.categories_of.at(i).empty()) node.value = tree.value.at(i); // else it means nothing
    if (tree.left.at(i) >= 0) {
      node.left = static_cast<std::int32_t>(order.size());
      node.feature = tree.feature.at(i);
      if (node.feature < 0 || node.feature >= trees.n_features) throw std::out_of_range("feature");
      node.missing_left = tree.missing_left.at(i) != 0;
      if (!tree.categories_of[i].empty()) node.set = add_set(tree.categories_of[i], trees);
      order.push_back(tree.left[i]);
      order.push_back(tree.right.at(i));
      if (order.size() > tree.left.size()) throw std::out_of_range("nodes");
    }
    trees.nodes.push_back(node);
  }
  trees.tree_first.push_back(static_cast<Index>(trees.nodes.size()));
}

} // namespace

TreeEnsemble parse_xgboost_trees(std::string_view model_bytes, Index n_features, Index n_outputs) {
  TreeEnsemble trees{n_features, n_outputs, {}, {0}, {}, {0}, {}};
  try {
    const Json model = Json::from_ubjson(model_bytes).at("learner").at("gradient_booster").at("model");
    trees.tree_output = model.at("tree_info").get<std::vector<std::int32_t>>();
    for (const Json& tree : model.at("trees")) add_tree(XgboostTree(tree), trees);
    if (trees.tree_output.size() + 1 != trees.tree_first.size()) throw std::out_of_range("tree_info");
    for (const std::int32_t output : trees.tree_output)
      if (output < 0 || output >= n_outputs) throw std::out_of_range("tree_info");
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception& problem) { // what is missing or of another type
    throw Error(ErrorKind::internal,
                std::string("XGBoost describes its trees in a way that lacuna does not know: ") +
                    problem.what());
  }
  return trees;
}

} // namespace lacuna
