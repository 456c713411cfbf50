#include "data/messages.hpp"
#include "lacuna/data/table.hpp"

namespace lacuna {

const OptionTable<TableOptions>& TableOptions::table() {
  using Options = TableOptions;
  static const OptionTable<TableOptions> rows = {
      option("label", &Options::label, "COLUMN", "Column with the labels; an empty cell is a missing label"),
      option("labels", &Options::labels, "FILE",
             "File with one label per row, instead of " + mention("label"))
          .unrecorded(),
      option("missing_label", &Options::missing_label, "TOKEN",
             "One more token for a missing label, beside the empty cell, NA, NaN and ?"),
      option("drop", &Options::drop, "A,B,...", "Columns that are not features"),
      option("categorical", &Options::categorical, "A,B,...",
             "Columns that hold categories although they look like numbers"),
      option("no_header", &Options::no_header, "",
             "The first line is data; the columns are called c0, c1, ..."),
  };
  return rows;
}

void check_label_source(const TableOptions& options) {
  if (options.label.empty() || options.labels.empty()) return;
  fail_option("labels", "it excludes " + mention("label"), "give one of them");
}

void require_label_source(const TableOptions& options) {
  check_label_source(options);
  if (options.has_labels()) return;
  fail_option("", "it is not said where the labels are",
              "give either " + mention("label") + ", for a column of the table, or " + mention("labels") +
                  ", for a file with one label per row");
}

} // namespace lacuna
