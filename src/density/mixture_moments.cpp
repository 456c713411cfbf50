#include "density/mixture_moments.hpp"

#include <algorithm>
#include <cmath>

#include "core/interruption.hpp"
#include "core/parallel.hpp"
#include "density/gap_terms.hpp"
#include "density/kernels.hpp"
#include "density/placed_rows.hpp"

namespace lacuna {

namespace {

/// Partial sums are kept per block of rows, so there are few of them; enough to keep many cores busy.
constexpr Index min_rows_per_task = 2048;
constexpr Index max_tasks = 32;

Index second_size(Index d, bool diagonal) {
  return diagonal ? d : d * (d + 1) / 2;
}

} // namespace

MixtureMoments::MixtureMoments(Matrix shifts, bool diagonal, Index n_levels)
    : is_diagonal(diagonal), shift(std::move(shifts)), zeroth(static_cast<std::size_t>(shift.n_rows())),
      first(shift.n_rows(), shift.n_cols()), second(shift.n_rows(), second_size(shift.n_cols(), diagonal)),
      levels(shift.n_rows(), n_levels == 0 ? 0 : n_levels + 1), lacking(shift.n_rows(), shift.n_cols()) {}

void MixtureMoments::add(const MixtureMoments& other, double sign) {
  const auto add_to = [sign](std::span<double> to, std::span<const double> from) {
    std::transform(to.begin(), to.end(), from.begin(), to.begin(),
                   [sign](double a, double b) { return a + sign * b; });
  };
  add_to(zeroth, other.zeroth);
  add_to(first.values(), other.first.values());
  add_to(second.values(), other.second.values());
  add_to(levels.values(), other.levels.values());
  add_to(lacking.values(), other.lacking.values());
  log_likelihood += sign * other.log_likelihood;
}

MixtureMoments merge_components(const MixtureMoments& moments, Index from, Index into) {
  const Index d = moments.n_features();
  MixtureMoments result(Matrix(moments.n_components() - 1, d), moments.is_diagonal,
                        std::max<Index>(1, moments.levels.n_cols()) - 1);
  result.log_likelihood = moments.log_likelihood;
  for (Index k = 0; k < moments.n_components(); ++k) {
    if (k == from) continue;
    const Index to = k < from ? k : k - 1;
    std::copy_n(moments.shift.row(k), d, result.shift.row(to));
    result.zeroth[static_cast<std::size_t>(to)] = moments.zeroth[static_cast<std::size_t>(k)];
    std::copy_n(moments.first.row(k), d, result.first.row(to));
    std::copy_n(moments.second.row(k), moments.second.n_cols(), result.second.row(to));
    std::copy_n(moments.levels.row(k), moments.levels.n_cols(), result.levels.row(to));
    std::copy_n(moments.lacking.row(k), d, result.lacking.row(to));
  }
  // Moments about another shift: with e = old shift - new shift, d_new = d_old + e.
  const Index to = into < from ? into : into - 1;
  const double n = moments.zeroth[static_cast<std::size_t>(from)];
  const auto e = [&](Index j) { return moments.shift(from, j) - moments.shift(into, j); };
  result.zeroth[static_cast<std::size_t>(to)] += n;
  for (Index l = 0; l < moments.levels.n_cols(); ++l) result.levels(to, l) += moments.levels(from, l);
  Index at = 0;
  for (Index i = 0; i < d; ++i) {
    result.first(to, i) += moments.first(from, i) + n * e(i);
    result.lacking(to, i) += moments.lacking(from, i);
    for (Index j = moments.is_diagonal ? i : 0; j <= i; ++j, ++at)
      result.second(to, at) += moments.second(from, at) + moments.first(from, i) * e(j) +
                               moments.first(from, j) * e(i) + n * e(i) * e(j);
  }
  return result;
}

namespace {

/// Adds the responsibilities and moments of rows first .. end to `sums`.
void add_rows(const WeightedRows& rows, Index first, Index end, const MixtureTerms& terms, RowBlock& block,
              MixtureMoments& sums) {
  const Kernels& kernel = kernels();
  for (; first < end; first += block.capacity()) {
    block.load(rows, first, std::min(block.capacity(), end - first));
    evaluate_terms(terms, block);
    kernel.responsibilities(block.logits(), block.stride(), block.n_padded(), terms.n_components(),
                            block.weights(), block.totals());
    for (Index b = 0; b < block.n_rows(); ++b) sums.log_likelihood += block.weights()[b] * block.totals()[b];
    for (Index k = 0; k < terms.n_components(); ++k) {
      const double* const r = block.logits() + k * block.stride();
      double* const zeroth = &sums.zeroth[static_cast<std::size_t>(k)];
      if (terms.is_diagonal)
        kernel.moments_diagonal(block.features(), block.stride(), block.n_padded(), terms.n_features(),
                                sums.shift.row(k), r, zeroth, sums.first.row(k), sums.second.row(k));
      else
        kernel.moments_full(block.features(), block.stride(), block.n_padded(), terms.n_features(),
                            sums.shift.row(k), r, block.scratch(), zeroth, sums.first.row(k),
                            sums.second.row(k));
      for (Index c = 0; c < block.n_category_columns(); ++c) {
        const std::int32_t* const level = block.levels() + c * block.stride();
        double* const to = sums.levels.row(k);
        for (Index b = 0; b < block.n_rows(); ++b) to[level[b]] += r[b];
      }
    }
  }
}

/// Calls add(task, sums) for every task and adds the sums up in the order of the tasks, so that the number of
/// threads does not matter.
template <class Add>
MixtureMoments sum_tasks(Index n_tasks, const MixtureTerms& terms, Index n_levels, int threads,
                         const Observer& observer, const Add& add) {
  MixtureMoments total(terms.mean, terms.is_diagonal, n_levels);
  std::vector<MixtureMoments> partial(static_cast<std::size_t>(n_tasks), total);
  parallel_for(n_tasks, threads, [&](Index task) {
    stop_if_cancelled(observer);
    add(task, partial[static_cast<std::size_t>(task)]);
  });
  for (const MixtureMoments& sums : partial) total.add(sums);
  return total;
}

} // namespace

MixtureMoments collect_moments(const WeightedRows& rows, const Frame& frame, const MixtureTerms& terms,
                               int threads, const Observer& observer) {
  const RowBlocks tasks(rows.size(), {.min_rows = min_rows_per_task, .max_blocks = max_tasks});
  return sum_tasks(tasks.n_blocks, terms, frame.n_levels(), threads, observer,
                   [&](Index task, MixtureMoments& sums) {
                     RowBlock block(frame, terms.n_components());
                     add_rows(rows, tasks.first(task), tasks.first(task + 1), terms, block, sums);
                   });
}

MixtureMoments collect_moments(const RowGroups& rows, const Frame& frame, const MixtureTerms& terms,
                               int threads, const Observer& observer, const PlacedRows* complete) {
  stop_if_cancelled(observer);
  std::optional<MixtureMoments> placed;
  if (complete != nullptr) placed = complete->collect(terms);
  MixtureMoments total =
      placed ? std::move(*placed) : collect_moments(rows.complete(), frame, terms, threads, observer);
  const std::vector<GapPiece> pieces = rows.pieces(min_rows_per_task);
  if (pieces.empty()) return total;
  const RowBlocks tasks(static_cast<Index>(pieces.size()), {.min_rows = 1, .max_blocks = max_tasks});
  total.add(sum_tasks(tasks.n_blocks, terms, frame.n_levels(), threads, observer,
                      [&](Index task, MixtureMoments& sums) {
                        for (Index p = tasks.first(task); p < tasks.first(task + 1); ++p) {
                          const GapPiece& piece = pieces[static_cast<std::size_t>(p)];
                          const GapTerms gap(terms, piece.group->pattern);
                          const Frame part = frame.select(piece.group->pattern.present);
                          RowBlock block(part, terms.n_components(), piece.count);
                          MixtureMoments seen(gap.terms().mean, terms.is_diagonal, frame.n_levels());
                          add_rows(rows.rows_of(*piece.group), piece.first, piece.first + piece.count,
                                   gap.terms(), block, seen);
                          gap.add_expected(seen, sums);
                        }
                      }));
  return total;
}

namespace {

/// Makes the spread of a feature that some rows lack that of the rows that have it. `present` has the
/// weight of those per component and feature.
void scale_up_variances(const Matrix& present, MixtureMoments& sums) {
  for (Index k = 0; k < sums.n_components(); ++k)
    for (Index j = 0; j < sums.n_features(); ++j) {
      const Index diagonal = sums.is_diagonal ? j : j * (j + 1) / 2 + j;
      if (present(k, j) > 0.0)
        sums.second(k, diagonal) *= sums.zeroth[static_cast<std::size_t>(k)] / present(k, j);
    }
}

} // namespace

AssignedMoments::AssignedMoments(const Frame& frame, const Matrix& centers, bool diagonal)
    : frame_(frame), sums_(centers, diagonal, frame.n_levels()),
      present_(centers.n_rows(), frame.n_features()) {}

void AssignedMoments::add(const WeightedRows& rows, const std::vector<int>& assignment, int threads) {
  // Each cluster on its own, in the order of the rows: the same sums on any number of threads.
  std::vector<char> has_gaps(static_cast<std::size_t>(sums_.n_components()));
  parallel_for(sums_.n_components(), threads, [&](Index k) {
    has_gaps[static_cast<std::size_t>(k)] = add_cluster(rows, assignment, k) ? 1 : 0;
  });
  has_gaps_ |= std::ranges::count(has_gaps, 1) > 0;
}

bool AssignedMoments::add_cluster(const WeightedRows& rows, const std::vector<int>& assignment, Index k) {
  const auto d = static_cast<std::size_t>(frame_.n_features());
  RowBlock block(frame_, 1, 1);
  std::vector<double> z(d);
  constexpr std::size_t many_features = 256; // each row takes a while
  bool has_gaps = false;
  const double* const center = sums_.shift.row(k);
  for (Index i = 0; i < rows.size(); ++i) {
    if (assignment[static_cast<std::size_t>(i)] != k) continue;
    if (d >= many_features) stop_if_asked();
    const double w = rows.weight(i);
    const double* const x = rows.row(i);
    for (std::size_t j = 0; j < d; ++j) {
      z[j] = (x[frame_.columns[j]] - frame_.center[j]) / frame_.scale[j] - center[j];
      if (std::isnan(z[j])) {
        has_gaps = true;
        z[j] = 0.0;
      } else {
        present_.row(k)[j] += w;
      }
    }
    sums_.zeroth[static_cast<std::size_t>(k)] += w;
    double* second = sums_.second.row(k);
    for (std::size_t j = 0; j < d; ++j) {
      sums_.first.row(k)[j] += w * z[j];
      for (std::size_t m = sums_.is_diagonal ? j : 0; m <= j; ++m) *second++ += w * z[j] * z[m];
    }
    if (frame_.categories.empty()) continue;
    block.load(rows, i, 1);
    for (Index c = 0; c < block.n_category_columns(); ++c)
      sums_.levels(k, block.levels()[c * block.stride()]) += w;
  }
  return has_gaps;
}

MixtureMoments AssignedMoments::result() const {
  MixtureMoments sums = sums_;
  if (!has_gaps_) return sums;
  scale_up_variances(present_, sums);
  for (Index k = 0; k < sums.n_components(); ++k)
    for (Index j = 0; j < sums.n_features(); ++j)
      sums.lacking(k, j) = sums.zeroth[static_cast<std::size_t>(k)] - present_(k, j);
  return sums;
}

MixtureMoments collect_assigned_moments(const WeightedRows& rows, const Frame& frame, const Matrix& centers,
                                        const std::vector<int>& assignment, bool diagonal) {
  AssignedMoments moments(frame, centers, diagonal);
  moments.add(rows, assignment, 1);
  return moments.result();
}

} // namespace lacuna
