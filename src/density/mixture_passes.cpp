#include "density/mixture_passes.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "core/archive_checks.hpp"
#include "core/index.hpp"
#include "core/parallel.hpp"
#include "density/row_groups.hpp"
#include "lacuna/core/random.hpp"

namespace lacuna {

void FramePass::add(const PassingRows& rows, int threads, const Observer& observer) {
  if (rows.rows.n_features() != frame_.n_columns())
    throw Error(ErrorKind::data, fmt::format("the block from row {} on has {} columns, the mixture {}",
                                             rows.first + 1, rows.rows.n_features(), frame_.n_columns()));
  count(rows.rows, rows.first, threads, observer);
}

void FramePass::save(Archive& archive, const std::string& prefix) const {
  archive.put(prefix + "n_columns", static_cast<double>(frame_.n_columns()));
  frame_.save(archive, prefix);
  save_more(archive, prefix);
}

Frame FramePass::load_frame(const Archive& archive, const std::string& prefix) {
  return Frame::load(archive, prefix, archive.integer(prefix + "n_columns", 1, largest_saved_features));
}

// WeightPass

std::unique_ptr<RowPass> WeightPass::load(const Archive& archive, const std::string& prefix) {
  return std::make_unique<WeightPass>(load_frame(archive, prefix));
}

void WeightPass::count(const WeightedRows& rows, Index /*first*/, int /*threads*/,
                       const Observer& /*observer*/) {
  const RowGroups groups(rows, frame());
  total_weight_ += groups.total_weight();
  missing_log_scale_ += groups.missing_log_scale(frame());
}

void WeightPass::save_counts(Archive& archive) const {
  archive.put("total_weight", total_weight_);
  archive.put("missing_log_scale", missing_log_scale_);
}

void WeightPass::add_counts(const Archive& archive) {
  total_weight_ += archive.number("total_weight");
  missing_log_scale_ += archive.number("missing_log_scale");
}

// SamplePass

std::unique_ptr<RowPass> SamplePass::load(const Archive& archive, const std::string& prefix) {
  return std::make_unique<SamplePass>(load_frame(archive, prefix), std::stoull(archive.text(prefix + "seed")),
                                      archive.number(prefix + "least_priority"));
}

void SamplePass::save_more(Archive& archive, const std::string& prefix) const {
  archive.put_text(prefix + "seed", std::to_string(seed_)); // a double has not all its digits
  archive.put(prefix + "least_priority", least_priority_);
}

void SamplePass::count(const WeightedRows& rows, Index first, int threads, const Observer& /*observer*/) {
  std::vector<double> priorities(at(rows.size())); // 0: not to be taken
  const RowBlocks blocks(rows.size(), {.min_rows = 8192, .max_blocks = 64});
  parallel_for(blocks.n_blocks, threads, [&](Index block) {
    for (Index i = blocks.first(block); i < blocks.first(block + 1); ++i)
      if (rows.weight(i) > 0.0 && has_value(rows.row(i), frame()))
        priorities[at(i)] =
            rows.weight(i) /
            RandomStream(seed_, RandomPurpose::start_rows, static_cast<std::uint64_t>(first + i)).uniform();
  });
  for (Index i = 0; i < rows.size(); ++i) {
    const double priority = priorities[at(i)];
    if (!(priority > 0.0)) continue;
    if (priority < least_priority_)
      leaves_out_ = true;
    else
      keep({priority, rows.weight(i), first + i, 0}, rows.row(i));
  }
}

void SamplePass::keep(Entry entry, const double* row) {
  const Index n_columns = frame().n_columns();
  if (static_cast<Index>(heap_.size()) <= most_start_rows) { // one more, for the threshold
    entry.slot = static_cast<Index>(heap_.size());
    values_.insert(values_.end(), row, row + n_columns);
  } else {
    if (entry.priority <= heap_.front().priority) return;
    std::pop_heap(heap_.begin(), heap_.end(), higher);
    entry.slot = heap_.back().slot;
    heap_.pop_back();
    std::copy_n(row, n_columns, values_.begin() + entry.slot * n_columns);
  }
  heap_.push_back(entry);
  std::push_heap(heap_.begin(), heap_.end(), higher);
}

StartSample SamplePass::result() {
  double threshold = 0.0;
  if (static_cast<Index>(heap_.size()) > most_start_rows) {
    std::pop_heap(heap_.begin(), heap_.end(), higher);
    threshold = heap_.back().priority;
    heap_.pop_back();
  }
  std::sort(heap_.begin(), heap_.end(), [](const Entry& a, const Entry& b) { return a.number < b.number; });
  const auto n = static_cast<Index>(heap_.size());
  const Index n_columns = frame().n_columns();
  StartSample sample{Matrix(n, n_columns), {}, false};
  for (Index i = 0; i < n; ++i) {
    const Entry& entry = heap_[at(i)];
    std::copy_n(values_.begin() + entry.slot * n_columns, n_columns, sample.rows.row(i));
    sample.weights.push_back(std::max(entry.weight, threshold));
  }
  return sample;
}

void SamplePass::save_counts(Archive& archive) const {
  const Index n_columns = frame().n_columns();
  Matrix rows(static_cast<Index>(heap_.size()), n_columns + 3);
  for (Index i = 0; i < rows.n_rows(); ++i) {
    const Entry& entry = heap_[at(i)];
    double* const row = rows.row(i);
    row[0] = entry.priority;
    row[1] = entry.weight;
    row[2] = static_cast<double>(entry.number);
    std::copy_n(values_.begin() + entry.slot * n_columns, n_columns, row + 3);
  }
  if (rows.n_rows() > 0) archive.put("rows", rows);
  archive.put("leaves_out", leaves_out_ ? 1.0 : 0.0);
}

void SamplePass::add_counts(const Archive& archive) {
  leaves_out_ |= archive.integer("leaves_out", 0, 1) == 1;
  if (!archive.has("rows")) return;
  const Index n_columns = frame().n_columns();
  const Matrix rows = archive.matrix("rows", archive.tensor("rows").shape[0], n_columns + 3);
  for (Index i = 0; i < rows.n_rows(); ++i) {
    const double* const row = rows.row(i);
    keep({row[0], row[1], static_cast<Index>(row[2]), 0}, row + 3);
  }
}

// AssignedPass

namespace {

Matrix centers_of(const std::optional<StartCenters>& centers, const Frame& frame) {
  return centers ? centers->centers() : Matrix(1, frame.n_features());
}

} // namespace

AssignedPass::AssignedPass(Frame frame, std::optional<StartCenters> centers, bool diagonal)
    : FramePass(std::move(frame)), centers_(std::move(centers)), diagonal_(diagonal),
      moments_(this->frame(), centers_of(centers_, this->frame()), diagonal) {}

std::unique_ptr<RowPass> AssignedPass::load(const Archive& archive, const std::string& prefix) {
  std::optional<StartCenters> centers;
  if (archive.has(prefix + "centers/points")) centers = StartCenters::load(archive, prefix + "centers/");
  return std::make_unique<AssignedPass>(load_frame(archive, prefix), std::move(centers),
                                        archive.integer(prefix + "is_diagonal", 0, 1) == 1);
}

void AssignedPass::save_more(Archive& archive, const std::string& prefix) const {
  if (centers_) centers_->save(archive, prefix + "centers/");
  archive.put(prefix + "is_diagonal", diagonal_ ? 1.0 : 0.0);
}

void AssignedPass::count(const WeightedRows& rows, Index /*first*/, int threads,
                         const Observer& /*observer*/) {
  if (centers_) {
    const RowGroups groups(rows, frame());
    add_valued(groups.with_values(), threads);
  } else {
    moments_.add(rows, std::vector<int>(at(rows.size())), threads);
  }
}

void AssignedPass::add_valued(const WeightedRows& rows, int threads) {
  moments_.add(rows, centers_->assign(rows, frame(), threads), threads);
}

void AssignedPass::save_counts(Archive& archive) const {
  moments_.save(archive);
}

void AssignedPass::add_counts(const Archive& archive) {
  moments_.add_saved(archive);
}

// CollectPass

CollectPass::CollectPass(Frame frame, const MixtureTerms& terms)
    : FramePass(std::move(frame)), terms_(terms),
      moments_(terms.mean, terms.is_diagonal, this->frame().n_levels()) {
  if (terms.shape != MixtureTerms::Shape::gaussian)
    throw Error(ErrorKind::internal, "an E-step takes Gaussian terms");
}

std::unique_ptr<RowPass> CollectPass::load(const Archive& archive, const std::string& prefix) {
  Frame frame = load_frame(archive, prefix);
  MixtureTerms terms;
  terms.is_diagonal = archive.integer(prefix + "is_diagonal", 0, 1) == 1;
  const Index n = stored_length(archive, prefix + "constant");
  const Index d = frame.n_features();
  terms.constant = archive.vector(prefix + "constant", n);
  terms.mean = archive.matrix(prefix + "mean", n, d);
  terms.whitener = archive.matrix(prefix + "whitener", n, terms.is_diagonal ? d : d * (d + 1) / 2);
  if (!frame.categories.empty())
    terms.log_level = archive.matrix(prefix + "log_level", n, frame.n_levels() + 1);
  return std::make_unique<CollectPass>(std::move(frame), terms);
}

void CollectPass::save_more(Archive& archive, const std::string& prefix) const {
  archive.put(prefix + "is_diagonal", terms_.is_diagonal ? 1.0 : 0.0);
  archive.put(prefix + "constant", terms_.constant);
  archive.put(prefix + "mean", terms_.mean);
  archive.put(prefix + "whitener", terms_.whitener);
  if (!frame().categories.empty()) archive.put(prefix + "log_level", terms_.log_level);
}

void CollectPass::count(const WeightedRows& rows, Index /*first*/, int threads, const Observer& observer) {
  moments_.add(collect_moments(RowGroups(rows, frame()), frame(), terms_, threads, observer));
}

void CollectPass::save_counts(Archive& archive) const {
  moments_.save_sums(archive);
}

void CollectPass::add_counts(const Archive& archive) {
  moments_.add_sums(archive);
}

} // namespace lacuna
