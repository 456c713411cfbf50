#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "data/whole_table.hpp"

namespace LACUNA_API lacuna {

/// Has a pass count the parts of a table, wherever they lie: calls take(counts) with what count_part made of
/// each, in the order of the rows. `kind` says in a word what is counted.
using AskParts =
    std::function<void(const std::string& kind, std::string_view question,
                       const std::function<void(std::string_view counts)>& take, const Observer& observer)>;

/// A table whose rows lie in parts on other machines, where they can be counted but not seen.
class RemoteTable : public WholeTable {
public:
  RemoteTable(Index n_rows, std::vector<Index> kept, std::vector<Index> labeled, AskParts ask)
      : WholeTable(n_rows, std::move(kept), std::move(labeled)), ask_(std::move(ask)) {}

  void show(RowPass& pass, int threads, const Observer& observer) const override;
  /// Who hands out the parts has looked for gaps.
  void require_complete(const std::vector<std::string>& /*names*/,
                        const std::string& /*user*/) const override {}

private:
  AskParts ask_;
};

/// A part of such a table.
struct TablePart {
  MatrixView rows;
  Index first = 0;                ///< number of its first row in the table
  std::span<const Index> labeled; ///< numbers in the table of its labeled rows, rising
  Index n_labeled_before = 0;     ///< labeled rows of the table before these
};
/// What a pass counts there, on one thread. Throws Error(data) for a question that is damaged.
std::vector<char> count_part(std::string_view question, const TablePart& part);

} // namespace lacuna
