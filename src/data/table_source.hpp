#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "data/byte_source.hpp"
#include "data/cells.hpp"
#include "lacuna/core/errors.hpp"
#include "lacuna/core/matrix.hpp"

namespace lacuna {

struct TableOptions;

/// More columns than this are refused before anything is allocated for them.
inline constexpr std::size_t max_columns = 1'000'000;

/// How a table is opened. What is not said about a text is found (table_style.hpp).
struct TextFormat {
  bool has_header = true;
  bool keep_blank_lines = false;
  ReadingWatch watch = {};
  std::optional<char> separator = {};
  std::optional<char> decimal = {};
  std::vector<std::string> missing_values = {}; ///< of any format
};

/// As the user's options say.
TextFormat text_format(const TableOptions& options, ReadingWatch watch);

/// A table on disk, one row at a time, whatever its format and in however many files.
class TableSource {
public:
  TableSource() = default;
  virtual ~TableSource() = default;
  TableSource(const TableSource&) = delete;
  TableSource& operator=(const TableSource&) = delete;

  /// Goes to the next row; false at the end.
  virtual bool next() = 0;
  /// The cell as a feature value.
  Number number(std::size_t column) const {
    const Number number = read_number(column);
    return missing_values_.empty() ? number : without_missing(number, column);
  }
  /// The cell as trimmed text; valid until the next call of next() or text().
  virtual std::string_view text(std::size_t column) const = 0;
  /// The same with the spaces around it.
  virtual std::string_view raw_text(std::size_t column) const { return text(column); }
  /// Whether a text says that there is none.
  bool is_missing(std::string_view text) const {
    return is_missing_token(text) || (!missing_values_.empty() && missing_values_.contains(text));
  }
  /// How the text is written, where that is not as in most files; otherwise empty.
  virtual std::string style_words() const { return {}; }
  /// Cells are numbers, so a column can hold text only on request.
  virtual bool is_numeric() const = 0;
  /// The line on which the current row begins, from 1; 0 for a file that has no lines.
  virtual Index line() const { return 0; }
  /// The number of the current row in its file, from 1.
  virtual Index row_in_file() const { return row_; }
  /// Share of the table read so far, 0 to 1.
  virtual double position() const = 0;
  /// The file that holds the current row.
  virtual const std::string& path() const = 0;
  /// What the user called the table: its file, or a pattern.
  virtual const std::string& name() const { return path(); }

  /// "c0", "c1", ... when the file names no columns.
  const std::vector<std::string>& column_names() const { return column_names_; }
  bool has_names() const { return has_names_; }
  /// The header's first cell is empty, as pandas writes it above an index.
  bool is_first_name_empty() const { return is_first_name_empty_; }
  /// The number of the current row, from 1.
  Index row() const { return row_; }
  /// The current row as a place.
  Place place() const;

protected:
  void set_named_columns(std::vector<std::string> names, bool is_first_name_empty);
  void set_numbered_columns(std::size_t n_columns);
  void take_columns_of(const TableSource& other);
  void count_row() { ++row_; }
  /// number() without the user's own missing values.
  virtual Number read_number(std::size_t column) const = 0;

private:
  friend std::unique_ptr<TableSource> open_table(const std::string& path, const TextFormat& format);
  Number without_missing(Number number, std::size_t column) const;

  MissingValues missing_values_;
  std::vector<std::string> column_names_;
  bool has_names_ = false;
  bool is_first_name_empty_ = false;
  Index row_ = 0;
};

/// A table in one file.
class FileTable : public TableSource {
public:
  explicit FileTable(std::unique_ptr<ByteSource> bytes) : bytes_(std::move(bytes)) {}
  double position() const override { return bytes_->position(); }
  const std::string& path() const override { return bytes_->path(); }

protected:
  ByteSource& bytes() { return *bytes_; }
  /// Throws the error of a file whose bytes end badly, with the last row that came before.
  [[noreturn]] void fail_after_row(const Error& error) const;

private:
  std::unique_ptr<ByteSource> bytes_;
};

/// Opens a table, of all files that `path` stands for (table_files); the format follows their first bytes.
std::unique_ptr<TableSource> open_table(const std::string& path, const TextFormat& format);

/// The same for one file, whatever its name.
std::unique_ptr<TableSource> open_table_file(const std::string& path, const TextFormat& format);

/// The implementations behind open_table.
std::unique_ptr<TableSource> open_joined_table(const std::string& name, std::vector<std::string> paths,
                                               const TextFormat& format);
std::unique_ptr<TableSource> open_csv_table(std::unique_ptr<ByteSource> bytes, const TextFormat& format);
std::unique_ptr<TableSource> open_npy_table(std::unique_ptr<ByteSource> bytes);
std::unique_ptr<TableSource> open_idx_table(std::unique_ptr<ByteSource> bytes);

/// The place of a column; throws Error(data) that lists the columns there are. `role` says what it was wanted
/// for: "label column".
std::size_t find_column(const TableSource& table, const std::string& role, const std::string& name);

/// True after every so many cells: some formats are read whole before their first row, so that counting bytes
/// is not enough.
bool is_time_to_look(const TableSource& table);

/// A cell of the current row as a place.
Place cell_place(const TableSource& table, std::size_t column);

/// The cell's text; throws Error(data) when it is not UTF-8.
std::string_view checked_text(const TableSource& table, std::size_t column);

} // namespace lacuna
