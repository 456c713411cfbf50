#pragma once

#include <optional>
#include <string>

#include "data/row_pass.hpp"
#include "math/moments.hpp"

namespace lacuna {

/// Moments of all rows.
class MomentsPass : public RowPass {
public:
  static constexpr const char* name = "moments";

  void add(const PassingRows& rows, int threads, const Observer& observer) override;
  /// Of no columns where there were no rows.
  RowMoments result() const { return sum_ ? sum_->result() : RowMoments(); }

  std::string kind() const override { return name; }
  void save(Archive& /*archive*/, const std::string& /*prefix*/) const override {}
  void save_counts(Archive& archive) const override;
  void add_counts(const Archive& archive) override;

private:
  std::optional<RowMomentsSum> sum_;
};

} // namespace lacuna
