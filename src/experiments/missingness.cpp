#include "experiments/missingness.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "core/common_options.hpp"
#include "core/index.hpp"
#include "core/parallel.hpp"
#include "experiments/neighbours.hpp"
#include "lacuna/core/errors.hpp"
#include "lacuna/core/random.hpp"

namespace lacuna {

namespace {

class RareClasses {
public:
  explicit RareClasses(const std::vector<int>& classes) : classes_(classes) {}
  bool contains(int label) const { return std::ranges::find(classes_, label) != classes_.end(); }

private:
  const std::vector<int>& classes_;
};

[[noreturn]] void fail_rare() {
  ErrorParts parts;
  parts.option = "rare";
  parts.statement = "every row is of a rare class, so no label can be kept";
  throw Error(ErrorKind::usage, std::move(parts));
}

[[noreturn]] void fail_too_many(Index wanted, std::size_t there_are, const std::string& what) {
  ErrorParts parts;
  parts.option = "labeled";
  parts.found = std::to_string(wanted);
  parts.expected = fmt::format("at most {}, the number of {}", there_are, what);
  throw Error(ErrorKind::usage, std::move(parts));
}

/// Weighted drawing without replacement: row i waits an exponential time with rate weight(i), and the rows
/// with the shortest times are drawn. Each time comes from the row's own stream.
template <typename Weight>
std::vector<Index> draw_without_replacement(std::size_t n_rows, const MissingnessOptions& options,
                                            Weight weight) {
  if (at(options.labeled) > n_rows) fail_too_many(options.labeled, n_rows, "rows");
  std::vector<std::pair<double, std::size_t>> times(n_rows);
  for (std::size_t i = 0; i < n_rows; ++i) {
    RandomStream random(options.seed, RandomPurpose::missingness, i);
    times[i] = {-std::log(random.uniform()) / weight(i), i};
  }
  std::nth_element(times.begin(), times.begin() + (options.labeled - 1), times.end());
  std::vector<Index> drawn(n_rows);
  for (std::size_t k = 0; k < at(options.labeled); ++k) drawn[times[k].second] = 1;
  return drawn;
}

std::vector<Index> draw_with_replacement(std::span<const int> labels, const MissingnessOptions& options) {
  const RareClasses rare(options.rare_classes);
  std::vector<std::size_t> candidates;
  for (std::size_t i = 0; i < labels.size(); ++i)
    if (!rare.contains(labels[i])) candidates.push_back(i);
  if (candidates.empty()) fail_rare();
  std::vector<Index> drawn(labels.size());
  for (Index k = 0; k < options.labeled; ++k) {
    RandomStream random(options.seed, RandomPurpose::missingness, static_cast<std::uint64_t>(k));
    ++drawn[candidates[static_cast<std::size_t>(random.uniform() * static_cast<double>(candidates.size()))]];
  }
  return drawn;
}

/// The share of rare classes among the neighbours of each query. `is_train`: query i is training row i.
std::vector<double> vote(MatrixView train, std::span<const int> labels, MatrixView queries, bool is_train,
                         const MissingnessOptions& options, const Observer& observer) {
  check_options(options);
  const RareClasses rare(options.rare_classes);
  const NeighbourTree tree(train);
  std::vector<double> share(at(queries.n_rows));
  constexpr Index queries_per_block = 128;
  const RowBlocks blocks(queries.n_rows, {.min_rows = queries_per_block, .max_blocks = queries.n_rows});
  parallel_for(blocks.n_blocks, options.threads, [&](Index block) {
    stop_if_cancelled(observer);
    for (Index i = blocks.first(block); i < blocks.first(block + 1); ++i) {
      const std::vector<Index> neighbours =
          tree.nearest(queries.row(i), options.neighbours, is_train ? i : NeighbourTree::none);
      const auto n_rare =
          std::ranges::count_if(neighbours, [&](Index row) { return rare.contains(labels[at(row)]); });
      if (!neighbours.empty())
        share[at(i)] = static_cast<double>(n_rare) / static_cast<double>(neighbours.size());
    }
  });
  return share;
}

} // namespace

const OptionTable<MissingnessOptions>& MissingnessOptions::table() {
  using O = MissingnessOptions;
  static const OptionTable<O> rows{
      option("protocol", &O::protocol, "NAME", "How labels go missing").in_group("Protocol"),
      option("labeled", &O::labeled, "N", "Labels that stay", {.low = 1}).in_group("Protocol"),
      option("rare_weight", &O::rare_weight, "X",
             "strict-mar, mnar: chance of a rare row, relative to others", {.above = 0.0, .high = 1.0})
          .in_group("Protocol"),
      option("neighbours", &O::neighbours, "K", "Nearest other rows that vote on the stratum of a row",
             {.low = 1})
          .in_group("Protocol"),
      option("seed", &O::seed, "N", "Seed of the draw").in_group("Run"),
      threads_option(&O::threads)};
  return rows;
}

void MissingnessOptions::require_rare(LabelProtocol protocol, OptionChecks& checks, bool has_rare) {
  checks.require(protocol == LabelProtocol::mcar || has_rare, "rare", "no class",
                 "at least one class for the protocol " + to_string(protocol));
}

std::vector<double> rare_share(MatrixView train, std::span<const int> labels, MatrixView queries,
                               const MissingnessOptions& options, Observer& observer) {
  return vote(train, labels, queries, false, options, observer);
}

std::vector<double> rare_share(MatrixView train, std::span<const int> labels,
                               const MissingnessOptions& options, Observer& observer) {
  return vote(train, labels, train, true, options, observer);
}

std::vector<Index> draw_labeled(std::span<const int> labels, std::span<const char> in_rare_region,
                                const MissingnessOptions& options) {
  check_options(options);
  const RareClasses rare(options.rare_classes);
  const auto weighted = [&](auto is_rare) {
    return draw_without_replacement(labels.size(), options,
                                    [&](std::size_t i) { return is_rare(i) ? options.rare_weight : 1.0; });
  };
  switch (options.protocol) {
  case LabelProtocol::mcar: return weighted([](std::size_t) { return false; });
  case LabelProtocol::strict_mar: return weighted([&](std::size_t i) { return in_rare_region[i] != 0; });
  case LabelProtocol::mnar: return weighted([&](std::size_t i) { return rare.contains(labels[i]); });
  case LabelProtocol::authors: return draw_with_replacement(labels, options);
  }
  throw Error(ErrorKind::internal, "an unknown protocol");
}

} // namespace lacuna
