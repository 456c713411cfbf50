#include <algorithm>
#include <unordered_set>

#include <fmt/format.h>

#include "data/csv_parser.hpp"
#include "data/messages.hpp"
#include "data/table_source.hpp"
#include "data/table_style.hpp"

namespace lacuna {

namespace {

TableStyle style_of(CsvParser& parser, const StyleWishes& wishes, const std::string& path) {
  constexpr std::size_t usual = 64UL * 1024UL;
  constexpr std::size_t most = 1024UL * 1024UL; // of a table with very long rows
  constexpr std::ptrdiff_t enough_lines = 3;
  std::size_t size = usual;
  std::string_view text = parser.beginning(size);
  while (text.size() == size && size < most && std::ranges::count(text, '\n') < enough_lines)
    text = parser.beginning(size *= 4);
  return find_style(text, text.size() < size, wishes, path);
}

class CsvTable : public FileTable {
public:
  CsvTable(std::unique_ptr<ByteSource> source, const TextFormat& format)
      : FileTable(std::move(source)), parser_(bytes(), format.keep_blank_lines),
        style_(style_of(parser_, {format.has_header, format.separator, format.decimal}, path())),
        is_plain_(style_.numbers == NumberStyle{} && style_.is_percent.empty()) {
    parser_.set_separator(style_.separator);
    if (!parser_.next()) fail_data(in_file(path()), "it holds blank lines only");
    if (format.has_header) {
      read_header();
    } else {
      set_numbered_columns(parser_.n_fields());
      is_first_row_read_ = true;
    }
  }

  bool next() override {
    if (is_first_row_read_) {
      is_first_row_read_ = false;
    } else if (!goes_on()) {
      return false;
    }
    count_row();
    if (parser_.n_fields() != column_names().size()) fail_ragged();
    return true;
  }

  std::string_view text(std::size_t column) const override { return trim(parser_.field(column)); }
  std::string_view raw_text(std::size_t column) const override { return parser_.field(column); }
  Number read_number(std::size_t column) const override {
    return is_plain_ ? parse_number(text(column)) : read_styled(column);
  }
  bool is_numeric() const override { return false; }
  Index line() const override { return parser_.line(); }
  std::string style_words() const override { return style_.words(); }

private:
  [[gnu::noinline]] Number read_styled(std::size_t column) const {
    NumberStyle style = style_.numbers;
    style.is_percent = column < style_.is_percent.size() && style_.is_percent[column] != 0;
    return parse_number(text(column), style);
  }

  bool goes_on() {
    try {
      return parser_.next();
    } catch (const Error& error) {
      if (error.parts().place.line > 0) throw; // of the text, and it says where
      fail_after_row(error);
    }
  }

  void read_header() {
    std::unordered_set<std::string> seen;
    std::vector<std::string> names;
    for (std::size_t j = 0; j < parser_.n_fields(); ++j) {
      std::string name(text(j));
      if (name.empty()) name = fmt::format("column {}", j + 1);
      if (!is_valid_utf8(name))
        fail_data(place(), fmt::format("the name of column {} is not text in UTF-8", j + 1), convert_remedy);
      if (!seen.insert(name).second)
        fail_data(place(), fmt::format("two columns are named {}", in_quotes(name)),
                  "give each its own name");
      names.push_back(std::move(name));
    }
    set_named_columns(std::move(names), text(0).empty());
  }

  [[noreturn]] void fail_ragged() const {
    fail_value(place(), fmt::format("{} cells", parser_.n_fields()),
               fmt::format("{} as in the {}", column_names().size(), has_names() ? "header" : "first row"),
               fmt::format("a cell that holds {} must stand in double quotes; if cells are separated by "
                           "another character, name it with {}",
                           separator_name(style_.separator), mention("separator")));
  }

  CsvParser parser_;
  TableStyle style_;
  bool is_plain_; ///< all numbers are as in most files, which are read fastest
  bool is_first_row_read_ = false;
};

} // namespace

std::unique_ptr<TableSource> open_csv_table(std::unique_ptr<ByteSource> bytes, const TextFormat& format) {
  return std::make_unique<CsvTable>(std::move(bytes), format);
}

} // namespace lacuna
