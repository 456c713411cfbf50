#pragma once

#include <memory>
#include <string>
#include <vector>

#include "data/whole_table.hpp"
#include "lacuna/features/feature_map.hpp"

namespace lacuna {

/// Shows rows as maps make them.
class MappedPass : public LensPass {
public:
  static constexpr const char* name = "mapped";

  MappedPass(FeatureChain maps, RowPass& behind) : LensPass(behind), maps_(std::move(maps)) {}
  static std::unique_ptr<RowPass> load(const Archive& archive, const std::string& prefix,
                                       std::unique_ptr<RowPass> behind);

  void add(const PassingRows& rows, int threads, const Observer& observer) override;
  std::string kind() const override { return name; }

private:
  MappedPass(FeatureChain maps, std::unique_ptr<RowPass> behind)
      : LensPass(std::move(behind)), maps_(std::move(maps)) {}
  void save_lens(Archive& archive, const std::string& prefix) const override { maps_.save(archive, prefix); }

  FeatureChain maps_;
};

/// A table as maps leave its rows. Borrows the table.
class MappedTable : public WholeTable {
public:
  MappedTable(const WholeTable& table, FeatureChain maps)
      : WholeTable(table), table_(table), maps_(std::move(maps)) {}

  void show(RowPass& pass, int threads, const Observer& observer) const override;
  void require_complete(const std::vector<std::string>& names, const std::string& user) const override {
    table_.require_complete(names, user);
  }

private:
  const WholeTable& table_;
  FeatureChain maps_;
};

} // namespace lacuna
