#include <utility>

#include "data/messages.hpp"
#include "data/table_source.hpp"
#include "lacuna/data/table.hpp"

namespace lacuna {

namespace {

constexpr const char* found_word = "auto";

using Character = std::optional<char>;
constexpr std::optional<Character> to_be_found(std::in_place, std::nullopt);

/// What no number and no quoted cell needs.
bool can_separate(const Character& character) {
  if (!character || *character == '\t') return true;
  const char c = *character;
  const bool is_letter = (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
  return c >= ' ' && c <= '~' && !is_letter && std::string_view("\".-+").find(c) == std::string_view::npos;
}

bool can_be_decimal(const Character& character) {
  return !character || *character == '.' || *character == ',';
}

/// A character between cells: itself, or tab. Inner nothing: it is to be found.
std::optional<Character> parse_separator(const std::string& text) {
  if (text == found_word) return to_be_found;
  if (text == "tab" || text == "\\t") return Character{'\t'};
  if (text.size() != 1 || !can_separate(text[0])) return std::nullopt;
  return Character{text[0]};
}

std::optional<Character> parse_decimal(const std::string& text) {
  if (text == found_word) return to_be_found;
  if (text.size() != 1 || !can_be_decimal(text[0])) return std::nullopt;
  return Character{text[0]};
}

std::string print_character(const Character& character) {
  if (!character) return found_word;
  return *character == '\t' ? "tab" : std::string(1, *character);
}

} // namespace

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
      option<Options, std::optional<char>>("separator", &Options::separator, "CHAR",
                                           "Character between cells of a CSV file, or auto: what its first "
                                           "lines show",
                                           "auto, tab, or a character such as ';' or '|'", parse_separator,
                                           print_character, can_separate)
          .unrecorded(),
      option<Options, std::optional<char>>("decimal", &Options::decimal, "CHAR",
                                           "Decimal mark of the numbers in a CSV file, the other of . and , "
                                           "stands between thousands; or auto: "
                                           "what its first lines show",
                                           "auto, '.' or ','", parse_decimal, print_character, can_be_decimal)
          .unrecorded(),
      option(
          "missing_value", &Options::missing_value, "A,B,...",
          "More tokens for a missing feature, such as -999, beside the empty cell, NA, NaN and ?; the model "
          "knows them from then on"),
      option("weights", &Options::weights, "COLUMN",
             "Column with a weight for each row: a row of weight 2 counts as if it stood there twice, one of "
             "weight 0 not at all"),
  };
  return rows;
}

TextFormat text_format(const TableOptions& options, ReadingWatch watch) {
  return {.has_header = !options.no_header,
          .watch = std::move(watch),
          .separator = options.separator,
          .decimal = options.decimal,
          .missing_values = options.missing_value};
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
