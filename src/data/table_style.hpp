#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "data/cells.hpp"

namespace lacuna {

/// What the user says about how a text table is written; the rest is found.
struct StyleWishes {
  bool has_header = true;
  std::optional<char> separator = {};
  std::optional<char> decimal = {}; ///< ',' or '.'
};

/// How a text table is written.
struct TableStyle {
  char separator = ',';
  NumberStyle numbers = {};          ///< of all columns, but for is_percent
  std::vector<char> is_percent = {}; ///< by column; empty: none is
  bool is_separator_found = true;    ///< not given
  bool is_decimal_found = true;

  /// "cells are separated by ';', and numbers have decimal commas"; empty for commas and points, and
  /// without what was given.
  std::string words() const;
};

/// Finds how a table is written from the text it begins with. `is_whole`: there is no more. What reads well
/// with commas between cells and decimal points is read so. Throws Error(data) about the file `path` where it
/// can be read in two ways; a number that can is left to parse_number.
TableStyle find_style(std::string_view beginning, bool is_whole, const StyleWishes& wishes,
                      const std::string& path);

/// "a comma", "a semicolon", "a tab", for messages.
std::string separator_name(char separator);

} // namespace lacuna
