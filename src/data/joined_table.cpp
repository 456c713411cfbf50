#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "data/messages.hpp"
#include "data/table_source.hpp"

namespace lacuna {

namespace {

/// Several files with the same columns, one after the other.
class JoinedTable : public TableSource {
public:
  JoinedTable(std::string name, std::vector<std::string> paths, TextFormat format)
      : name_(std::move(name)), paths_(std::move(paths)), format_(std::move(format)) {
    open();
    take_columns_of(*file_);
    is_numeric_ = file_->is_numeric();
    style_words_ = file_->style_words();
  }

  bool next() override {
    while (!file_->next()) {
      if (place_ + 1 == paths_.size()) return false;
      ++place_;
      open();
      check_columns();
    }
    count_row();
    return true;
  }

  Number read_number(std::size_t column) const override { return file_->number(column); }
  std::string_view raw_text(std::size_t column) const override { return file_->raw_text(column); }
  std::string style_words() const override { return style_words_; }
  std::string_view text(std::size_t column) const override { return file_->text(column); }
  bool is_numeric() const override { return is_numeric_; }
  Index line() const override { return file_->line(); }
  Index row_in_file() const override { return file_->row_in_file(); }
  double position() const override { return position_of(file_->position()); }
  const std::string& path() const override { return file_->path(); }
  const std::string& name() const override { return name_; }

private:
  double position_of(double in_file) const {
    return (static_cast<double>(place_) + in_file) / static_cast<double>(paths_.size());
  }

  void open() {
    TextFormat format = format_;
    if (format_.watch) format.watch = [this](double in_file) { format_.watch(position_of(in_file)); };
    file_ = open_table_file(paths_[place_], format);
  }

  void check_columns() const {
    const std::vector<std::string>& names = file_->column_names();
    const auto fail = [&](const std::string& difference) {
      fail_data(in_file(path()),
                fmt::format("its columns are not those of {}: {}", in_quotes(paths_.front()), difference),
                "the files of one table have the same columns in the same order");
    };
    if (names.size() != column_names().size())
      fail(fmt::format("it has {}, not {}", names.size(), column_names().size()));
    // Columns without names have the same ones in every file.
    const auto [mine, first] = std::ranges::mismatch(names, column_names());
    if (mine != names.end())
      fail(fmt::format("column {} is {}, not {}", mine - names.begin() + 1, in_quotes(*mine),
                       in_quotes(*first)));
    if (file_->is_numeric() != is_numeric_)
      fail(file_->is_numeric() ? "it is an array of numbers, not text"
                               : "it is text, not an array of numbers");
  }

  std::string name_;
  std::vector<std::string> paths_;
  TextFormat format_;
  std::size_t place_ = 0; ///< of the file that is being read
  std::unique_ptr<TableSource> file_;
  bool is_numeric_ = false;
  std::string style_words_;
};

} // namespace

std::unique_ptr<TableSource> open_joined_table(const std::string& name, std::vector<std::string> paths,
                                               const TextFormat& format) {
  return std::make_unique<JoinedTable>(name, std::move(paths), format);
}

} // namespace lacuna
