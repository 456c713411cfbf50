#include "conditional/xgboost_booster.hpp"

#include <limits>
#include <string>

#include "conditional/boosted_trees.hpp"
#include "conditional/xgboost_trees.hpp"
#include "core/index.hpp"

namespace lacuna {

XgboostMatrix::XgboostMatrix(const DatasetView& data, const LabeledRows& labeled, const ColumnScales& scales,
                             std::span<const float> starts)
    : n_rows_(labeled.size()), cells_(labeled.size() * at(data.n_features())) {
  const std::size_t d = at(data.n_features());
  for (std::size_t i = 0; i < n_rows_; ++i)
    BoostedTrees::read(scales, data.features.row(labeled.rows[i]), std::span(cells_).subspan(i * d, d));
  const XgboostLibrary& xgboost = xgboost_library();
  xgboost.check(xgboost.set_global_config(R"({"verbosity": 0})"));
  XgboostLibrary::Handle made = nullptr;
  xgboost.check(
      xgboost.matrix_create(cells_.data(), n_rows_, d, std::numeric_limits<float>::quiet_NaN(), &made, 1));
  handle_ = {made, xgboost.matrix_free};
  describe(data, labeled, starts);
}

void XgboostMatrix::describe(const DatasetView& data, const LabeledRows& labeled,
                             std::span<const float> starts) {
  std::vector<const char*> types(at(data.n_features()), "float");
  for (std::size_t j = 0; j < data.levels.size(); ++j)
    if (data.levels[j] > 0) types[j] = "c";
  const std::vector<float> labels(labeled.place.begin(), labeled.place.end());
  const std::vector<float> weights(labeled.weights.begin(), labeled.weights.end());
  std::vector<float> margins;
  for (std::size_t i = 0; i < n_rows_; ++i) margins.insert(margins.end(), starts.begin(), starts.end());
  const XgboostLibrary& xgboost = xgboost_library();
  xgboost.check(xgboost.matrix_set_texts(handle(), "feature_type", types.data(), types.size()));
  xgboost.check(xgboost.matrix_set_floats(handle(), "label", labels.data(), labels.size()));
  xgboost.check(xgboost.matrix_set_floats(handle(), "weight", weights.data(), weights.size()));
  xgboost.check(xgboost.matrix_set_floats(handle(), "base_margin", margins.data(), margins.size()));
}

XgboostBooster::XgboostBooster(const XgboostMatrix& matrix, std::size_t n_classes, int n_leaves,
                               std::uint64_t seed)
    : n_outputs_(BoostedTrees::n_outputs(n_classes)) {
  const XgboostLibrary& xgboost = xgboost_library();
  const XgboostLibrary::Handle matrices[] = {matrix.handle()};
  XgboostLibrary::Handle made = nullptr;
  xgboost.check(xgboost.booster_create(matrices, 1, &made));
  handle_ = {made, xgboost.booster_free};
  configure(n_classes, n_leaves, seed);
}

void XgboostBooster::configure(std::size_t n_classes, int n_leaves, std::uint64_t seed) {
  const XgboostLibrary& xgboost = xgboost_library();
  const auto set = [&](const char* name, const std::string& value) {
    xgboost.check(xgboost.booster_set(handle(), name, value.c_str()));
  };
  set("nthread", "1");
  set("seed", std::to_string(seed % 1000000007)); // it takes 32 bits
  set("tree_method", "hist");
  if (n_classes == 2) {
    set("objective", "binary:logistic");
  } else {
    set("objective", "multi:softprob");
    set("num_class", std::to_string(n_classes));
  }
  // docs/math/conditional.md, section 3, says why these.
  set("eta", "0.07");
  set("grow_policy", "lossguide");
  set("max_depth", "0");
  set("max_leaves", std::to_string(n_leaves));
  set("min_child_weight", "2");
  set("lambda", "3");
}

void XgboostBooster::add_round(int round, const XgboostMatrix& matrix) {
  const XgboostLibrary& xgboost = xgboost_library();
  xgboost.check(xgboost.booster_update(handle(), round, matrix.handle()));
}

TreeEnsemble XgboostBooster::trees(Index n_features) const {
  const XgboostLibrary& xgboost = xgboost_library();
  XgboostLibrary::Size size = 0;
  const char* text = nullptr;
  xgboost.check(xgboost.booster_save(handle(), R"({"format": "ubj"})", &size, &text));
  return parse_xgboost_trees({text, size}, n_features, n_outputs_);
}

std::span<const float> XgboostBooster::margins(const XgboostMatrix& matrix) const {
  const XgboostLibrary& xgboost = xgboost_library();
  const XgboostLibrary::Size* shape = nullptr;
  XgboostLibrary::Size n_dims = 0;
  const float* values = nullptr;
  // Type 1: margins, of all rounds.
  const char* config =
      R"({"type": 1, "training": false, "iteration_begin": 0, "iteration_end": 0, "strict_shape": true})";
  xgboost.check(xgboost.booster_predict(handle(), matrix.handle(), config, &shape, &n_dims, &values));
  return {values, matrix.n_rows() * at(n_outputs_)};
}

} // namespace lacuna
