#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "data/row_pass.hpp"
#include "density/frame.hpp"
#include "density/kmeans_start.hpp"
#include "density/mixture_moments.hpp"
#include "density/mixture_terms.hpp"

// What a mixture counts when it looks at all its rows once.

namespace lacuna {

/// Rows in which a start is sought: all, or so many of them, taken by lot, that more would not find better
/// centres.
struct StartSample {
  Matrix rows; ///< of those taken by lot
  std::vector<double> weights;
  bool is_all = false; ///< the rows of the fit themselves
};

/// Centres of a few clusters are known well from so many rows: a hundred clusters have hundreds each.
inline constexpr Index most_start_rows = 65536;

/// A pass over rows of a frame's columns.
class FramePass : public RowPass {
public:
  void add(const PassingRows& rows, int threads, const Observer& observer) final;
  void save(Archive& archive, const std::string& prefix) const final;

protected:
  explicit FramePass(Frame frame) : frame_(std::move(frame)) {}
  static Frame load_frame(const Archive& archive, const std::string& prefix);
  const Frame& frame() const { return frame_; }

private:
  virtual void count(const WeightedRows& rows, Index first, int threads, const Observer& observer) = 0;
  virtual void save_more(Archive& archive, const std::string& prefix) const = 0;

  Frame frame_;
};

/// How much weight there is, and what the Jacobian of complete rows counts too much.
class WeightPass : public FramePass {
public:
  static constexpr const char* name = "weights";

  explicit WeightPass(Frame frame) : FramePass(std::move(frame)) {}
  static std::unique_ptr<RowPass> load(const Archive& archive, const std::string& prefix);
  double total_weight() const { return total_weight_; }
  double missing_log_scale() const { return missing_log_scale_; }

  std::string kind() const override { return name; }
  void save_counts(Archive& archive) const override;
  void add_counts(const Archive& archive) override;

private:
  void count(const WeightedRows& rows, Index first, int threads, const Observer& observer) override;
  void save_more(Archive& /*archive*/, const std::string& /*prefix*/) const override {}

  double total_weight_ = 0.0;
  double missing_log_scale_ = 0.0;
};

/// Keeps the rows of highest priority, weight divided by a uniform random number of the row's own. Where rows
/// were left out, each kept one stands for them with at least the first priority that was not kept: then
/// every weighted sum over the sample has the right expectation (docs/math/vb-mixture.md, section 7).
class SamplePass : public FramePass {
public:
  static constexpr const char* name = "start sample";

  /// Rows of less than the least priority are left out at once: elsewhere they would be sent for nothing.
  SamplePass(Frame frame, std::uint64_t seed, double least_priority)
      : FramePass(std::move(frame)), seed_(seed), least_priority_(least_priority) {}
  static std::unique_ptr<RowPass> load(const Archive& archive, const std::string& prefix);
  /// Whether some of those would have been needed.
  bool is_short() const { return leaves_out_ && static_cast<Index>(heap_.size()) <= most_start_rows; }
  StartSample result();

  std::string kind() const override { return name; }
  void save_counts(Archive& archive) const override;
  void add_counts(const Archive& archive) override;

private:
  struct Entry {
    double priority;
    double weight;
    Index number;
    Index slot; ///< where the row's values are
  };
  static bool higher(const Entry& a, const Entry& b) { return a.priority > b.priority; }

  void count(const WeightedRows& rows, Index first, int threads, const Observer& observer) override;
  void save_more(Archive& archive, const std::string& prefix) const override;
  void keep(Entry entry, const double* row);

  std::uint64_t seed_;
  double least_priority_;
  bool leaves_out_ = false;
  std::vector<Entry> heap_; ///< the lowest priority first
  std::vector<double> values_;
};

/// Moments of rows, each in the cluster of its nearest centre; without centres all are in one.
class AssignedPass : public FramePass {
public:
  static constexpr const char* name = "start";

  AssignedPass(Frame frame, std::optional<StartCenters> centers, bool diagonal);
  static std::unique_ptr<RowPass> load(const Archive& archive, const std::string& prefix);
  /// Rows that all have a value.
  void add_valued(const WeightedRows& rows, int threads);
  MixtureMoments result() const { return moments_.result(); }

  std::string kind() const override { return name; }
  void save_counts(Archive& archive) const override;
  void add_counts(const Archive& archive) override;

private:
  void count(const WeightedRows& rows, Index first, int threads, const Observer& observer) override;
  void save_more(Archive& archive, const std::string& prefix) const override;

  std::optional<StartCenters> centers_;
  bool diagonal_;
  AssignedMoments moments_;
};

/// Responsibilities under `terms`, which are Gaussian, and their moments: the E-step.
class CollectPass : public FramePass {
public:
  static constexpr const char* name = "mixture";

  CollectPass(Frame frame, const MixtureTerms& terms);
  static std::unique_ptr<RowPass> load(const Archive& archive, const std::string& prefix);
  MixtureMoments take() { return std::move(moments_); }

  std::string kind() const override { return name; }
  void save_counts(Archive& archive) const override;
  void add_counts(const Archive& archive) override;

private:
  void count(const WeightedRows& rows, Index first, int threads, const Observer& observer) override;
  void save_more(Archive& archive, const std::string& prefix) const override;

  MixtureTerms terms_;
  MixtureMoments moments_;
};

} // namespace lacuna
