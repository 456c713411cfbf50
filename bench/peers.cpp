// What bench/all compares with peers beside the mixtures: the ridge logistic regression, the trees that
// XGBoost grew, by lacuna and by XGBoost itself, principal components, and a CSV file that is read.

#include <cstdlib>

#include <benchmark/benchmark.h>

#include "conditional/boosted_trees.hpp"
#include "conditional/column_scales.hpp"
#include "conditional/labeled_rows.hpp"
#include "conditional/logistic.hpp"
#include "conditional/xgboost_booster.hpp"
#include "core/index.hpp"
#include "lacuna/core/random.hpp"
#include "lacuna/data/dataset.hpp"
#include "lacuna/data/table.hpp"
#include "lacuna/features/fit_features.hpp"

namespace {

using namespace lacuna;

/// Clouds of 5 classes about random places.
struct Problem {
  Problem(Index n_rows, Index n_features) {
    constexpr Index n_classes = 5;
    RandomStream random(0, RandomPurpose::simulation);
    Matrix centers(n_classes, n_features);
    for (double& c : centers.values()) c = random.normal();
    data.features = Matrix(n_rows, n_features);
    data.class_names = {"a", "b", "c", "d", "e"};
    for (Index i = 0; i < n_rows; ++i) {
      data.labels.push_back(static_cast<int>(i % n_classes));
      for (Index j = 0; j < n_features; ++j)
        data.features(i, j) = centers(i % n_classes, j) + random.normal();
    }
  }

  Dataset data;
};

void logistic_fit(benchmark::State& state) {
  const Problem problem(50000, 20);
  for (auto _ : state)
    benchmark::DoNotOptimize(LogisticFamily(1.0).fit(DatasetView(problem.data), {.threads = 1}));
  state.SetItemsProcessed(state.iterations() * 50000);
}
BENCHMARK(logistic_fit)->Unit(benchmark::kMillisecond)->UseRealTime();

void pca_fit(benchmark::State& state) {
  const Problem problem(100000, 50);
  FeatureOptions options;
  options.features = {{.kind = "pca", .argument = "10"}};
  for (auto _ : state)
    benchmark::DoNotOptimize(fit_features(
        options, {.rows = problem.data.features.view(), .threads = static_cast<int>(state.range(0))}));
}
BENCHMARK(pca_fit)->Arg(1)->Arg(2)->Unit(benchmark::kMillisecond)->UseRealTime();

/// 100 rounds of trees with 15 leaves, one tree for each of 5 classes, and rows they have not seen.
struct Grown {
  Grown() : scored(data, labeled, scales, starts) {
    const XgboostMatrix matrix(data, labeled, scales, starts);
    booster = std::make_unique<XgboostBooster>(matrix, 5, 15, 0);
    for (int round = 0; round < 100; ++round) booster->add_round(round, matrix);
    trees = booster->trees(20);
  }

  Problem problem{20000, 20};
  DatasetView data{problem.data};
  LabeledRows labeled = labeled_rows(data);
  ColumnScales scales = ColumnScales::fit(data, labeled);
  std::vector<float> starts = std::vector<float>(5);
  XgboostMatrix scored;
  std::unique_ptr<XgboostBooster> booster;
  TreeEnsemble trees;
};

void trees_lacuna(benchmark::State& state) {
  const Grown grown;
  std::vector<float> out(grown.scored.n_rows() * 5);
  const std::size_t step = at(tree_block_rows(20));
  const TreeLadders ladders(grown.trees);
  const std::span<const float> cells = grown.scored.cells();
  for (auto _ : state)
    for (std::size_t first = 0; first < grown.scored.n_rows(); first += step) {
      const std::size_t n = std::min(step, grown.scored.n_rows() - first);
      add_margins(ladders, cells.subspan(first * 20, n * 20), std::span(out).subspan(first * 5, n * 5));
    }
  state.SetItemsProcessed(state.iterations() * 20000);
}
BENCHMARK(trees_lacuna)->Unit(benchmark::kMillisecond)->UseRealTime();

/// It remembers what it said of a table, so each time it is asked of one that it has not seen.
void trees_xgboost(benchmark::State& state) {
  const Grown grown;
  for (auto _ : state) {
    state.PauseTiming();
    const XgboostMatrix fresh(grown.data, grown.labeled, grown.scales, grown.starts);
    state.ResumeTiming();
    benchmark::DoNotOptimize(grown.booster->margins(fresh).data());
  }
  state.SetItemsProcessed(state.iterations() * 20000);
}
BENCHMARK(trees_xgboost)->Unit(benchmark::kMillisecond)->UseRealTime();

/// The file that LACUNA_BENCH_CSV names, all of its columns as numbers; bench/peers.py has written it.
void csv_read(benchmark::State& state) {
  const char* const path = std::getenv("LACUNA_BENCH_CSV");
  if (path == nullptr) return state.SkipWithError("LACUNA_BENCH_CSV names no file");
  TableSchema schema;
  for (const char* const name : {"c0", "c1", "c2", "c3", "c4"}) schema.columns.push_back({.name = name});
  for (auto _ : state) {
    TableReader reader(path, schema, {}, {});
    TableBlock block;
    while (reader.next(block, 1024)) benchmark::DoNotOptimize(block.features.row(0));
  }
}
BENCHMARK(csv_read)->Unit(benchmark::kMillisecond)->UseRealTime();

} // namespace
