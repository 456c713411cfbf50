#include "density/moments.hpp"

#include <algorithm>

#include "density/kernels.hpp"
#include "lacuna/core/parallel.hpp"

namespace lacuna {

namespace {

/// Partial sums are kept per block of rows, so there are few of them; enough to keep many cores busy.
constexpr Index min_rows_per_task = 2048;
constexpr Index max_tasks = 32;

Index second_size(Index d, bool diagonal) {
  return diagonal ? d : d * (d + 1) / 2;
}

} // namespace

MixtureMoments::MixtureMoments(Matrix shifts, bool diagonal)
    : is_diagonal(diagonal), shift(std::move(shifts)), zeroth(static_cast<std::size_t>(shift.n_rows())),
      first(shift.n_rows(), shift.n_cols()), second(shift.n_rows(), second_size(shift.n_cols(), diagonal)) {}

void MixtureMoments::add(const MixtureMoments& other) {
  const auto add_to = [](std::span<double> to, std::span<const double> from) {
    std::transform(to.begin(), to.end(), from.begin(), to.begin(), std::plus<>());
  };
  add_to(zeroth, other.zeroth);
  add_to(first.values(), other.first.values());
  add_to(second.values(), other.second.values());
  log_likelihood += other.log_likelihood;
}

MixtureMoments merge_components(const MixtureMoments& moments, Index from, Index into) {
  const Index d = moments.n_features();
  MixtureMoments result(Matrix(moments.n_components() - 1, d), moments.is_diagonal);
  result.log_likelihood = moments.log_likelihood;
  for (Index k = 0; k < moments.n_components(); ++k) {
    if (k == from) continue;
    const Index to = k < from ? k : k - 1;
    std::copy_n(moments.shift.row(k), d, result.shift.row(to));
    result.zeroth[static_cast<std::size_t>(to)] = moments.zeroth[static_cast<std::size_t>(k)];
    std::copy_n(moments.first.row(k), d, result.first.row(to));
    std::copy_n(moments.second.row(k), moments.second.n_cols(), result.second.row(to));
  }
  // Moments about another shift: with e = old shift - new shift, d_new = d_old + e.
  const Index to = into < from ? into : into - 1;
  const double n = moments.zeroth[static_cast<std::size_t>(from)];
  const auto e = [&](Index j) { return moments.shift(from, j) - moments.shift(into, j); };
  result.zeroth[static_cast<std::size_t>(to)] += n;
  Index at = 0;
  for (Index i = 0; i < d; ++i) {
    result.first(to, i) += moments.first(from, i) + n * e(i);
    for (Index j = moments.is_diagonal ? i : 0; j <= i; ++j, ++at)
      result.second(to, at) += moments.second(from, at) + moments.first(from, i) * e(j) +
                               moments.first(from, j) * e(i) + n * e(i) * e(j);
  }
  return result;
}

MixtureMoments collect_moments(const WeightedRows& rows, const Frame& frame, const MixtureTerms& terms,
                               int threads, const Observer& observer) {
  const Kernels& kernel = kernels();
  const auto accumulate = terms.is_diagonal ? kernel.moments_diagonal : kernel.moments_full;
  const RowBlocks tasks(rows.size(), min_rows_per_task, max_tasks);
  std::vector<MixtureMoments> partial(static_cast<std::size_t>(tasks.n_blocks),
                                      MixtureMoments(terms.mean, terms.is_diagonal));
  parallel_for(tasks.n_blocks, threads, [&](Index task) {
    stop_if_cancelled(observer);
    MixtureMoments& sums = partial[static_cast<std::size_t>(task)];
    RowBlock block(frame, terms.n_components());
    const Index end = tasks.first(task + 1);
    for (Index first = tasks.first(task); first < end; first += block.capacity()) {
      block.load(rows, first, std::min(block.capacity(), end - first));
      evaluate_terms(terms, block);
      kernel.responsibilities(block.logits(), block.stride(), block.n_padded(), terms.n_components(),
                              block.weights(), block.totals());
      for (Index b = 0; b < block.n_rows(); ++b)
        sums.log_likelihood += block.weights()[b] * block.totals()[b];
      for (Index k = 0; k < terms.n_components(); ++k)
        accumulate(block.features(), block.stride(), block.n_padded(), terms.n_features(), sums.shift.row(k),
                   block.logits() + k * block.stride(), &sums.zeroth[static_cast<std::size_t>(k)],
                   sums.first.row(k), sums.second.row(k));
    }
  });
  MixtureMoments total(terms.mean, terms.is_diagonal);
  for (const MixtureMoments& sums : partial) total.add(sums);
  return total;
}

MixtureMoments collect_assigned_moments(const WeightedRows& rows, const Frame& frame, const Matrix& centers,
                                        const std::vector<int>& assignment, bool diagonal) {
  MixtureMoments sums(centers, diagonal);
  const auto d = static_cast<std::size_t>(rows.n_features());
  std::vector<double> z(d);
  for (Index i = 0; i < rows.size(); ++i) {
    const double w = rows.weight(i);
    const Index k = assignment[static_cast<std::size_t>(i)];
    const double* const x = rows.row(i);
    for (std::size_t j = 0; j < d; ++j)
      z[j] = (x[j] - frame.center[j]) / frame.scale[j] - centers(k, static_cast<Index>(j));
    sums.zeroth[static_cast<std::size_t>(k)] += w;
    double* second = sums.second.row(k);
    for (std::size_t j = 0; j < d; ++j) {
      sums.first.row(k)[j] += w * z[j];
      for (std::size_t m = diagonal ? j : 0; m <= j; ++m) *second++ += w * z[j] * z[m];
    }
  }
  return sums;
}

} // namespace lacuna
