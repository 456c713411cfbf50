#pragma once

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "lacuna/data/table.hpp"

namespace lacuna {

/// The rows of TableOptions for a request that is one: without some, and with other words for others.
template <class Request>
OptionTable<Request> table_rows(const std::vector<std::string>& without,
                                const std::map<std::string, std::string>& help) {
  OptionTable<Request> rows;
  for (Option<Request>& row : rows_of<Request, TableOptions>()) {
    if (std::find(without.begin(), without.end(), row.name) != without.end()) continue;
    if (const auto found = help.find(row.name); found != help.end()) row.help = found->second;
    rows.push_back(std::move(row).in_group("Data"));
  }
  return rows;
}

} // namespace lacuna
