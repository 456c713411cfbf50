#pragma once

#include <memory>
#include <string>
#include <vector>

#include "data/row_pass.hpp"

namespace lacuna {

/// Brings every `step`-th row here, from number 0 on.
class GatherPass : public RowPass {
public:
  static constexpr const char* name = "gathered rows";

  explicit GatherPass(Index step) : step_(step) {}
  static std::unique_ptr<RowPass> load(const Archive& archive, const std::string& prefix);
  Matrix take();

  void add(const PassingRows& rows, int threads, const Observer& observer) override;
  std::string kind() const override { return name; }
  void save(Archive& archive, const std::string& prefix) const override;
  void save_counts(Archive& archive) const override;
  void add_counts(const Archive& archive) override;

private:
  Index step_;
  Index n_columns_ = 0;
  std::vector<double> values_;
};

} // namespace lacuna
