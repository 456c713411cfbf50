#include "data/labels.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <numeric>
#include <optional>

#include <fmt/format.h>

#include "data/messages.hpp"
#include "lacuna/core/errors.hpp"
#include "lacuna/data/dataset.hpp"

namespace lacuna {

namespace {

std::optional<std::int64_t> as_integer(const std::string& text) {
  std::int64_t value = 0;
  const char* end = text.data() + text.size();
  const auto result = std::from_chars(text.data(), end, value);
  if (result.ec != std::errc{} || result.ptr != end) return std::nullopt;
  return value;
}

/// The order of the classes: by value when all are integers, by letters otherwise.
std::vector<std::size_t> class_order(const std::vector<std::string>& names) {
  std::vector<std::optional<std::int64_t>> values;
  values.reserve(names.size());
  for (const std::string& name : names) values.push_back(as_integer(name));
  const bool is_integer = std::ranges::all_of(values, [](const auto& value) { return value.has_value(); });
  std::vector<std::size_t> order(names.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, [&](std::size_t a, std::size_t b) {
    if (is_integer && *values[a] != *values[b]) return *values[a] < *values[b];
    return names[a] < names[b];
  });
  return order;
}

} // namespace

LabelReading::LabelReading(std::string_view missing_token)
    : missing_token_(canonical_text(trim(missing_token))) {}

std::string_view LabelReading::operator()(std::string_view cell) const {
  if (is_missing_token(cell)) return {};
  const std::string_view label = canonical_text(cell);
  return label == missing_token_ ? std::string_view() : label;
}

LabelFile::LabelFile(const std::string& path, ReadingWatch watch)
    : table_(open_table(
          path,
          {.has_header = false, .keep_blank_lines = true, .watch = std::move(watch), .separator = ','})) {
  if (table_->column_names().size() != 1)
    fail_data(in_file(path), fmt::format("it has {} columns", table_->column_names().size()),
              "a file of labels holds one label per row and nothing else");
}

namespace {

/// One of them has ended, the other has not.
[[noreturn]] void fail_length(TableSource& table, LabelFile& labels, bool table_ended, bool labels_ended) {
  while (!table_ended) table_ended = !table.next();
  while (!labels_ended) labels_ended = !labels.next();
  const Index n_rows = table.row();
  const Index n_labels = labels.table().row();
  const bool may_have_header = n_labels == n_rows + 1;
  fail_data(in_file(labels.table().name()),
            fmt::format("it has {} labels, but {} has {} rows", n_labels, in_quotes(table.name()), n_rows),
            std::string("there must be one label, perhaps empty, for every row") +
                (may_have_header ? ", and no header above them" : ""));
}

} // namespace

bool next_together(TableSource& table, std::optional<LabelFile>& labels) {
  const bool has_row = table.next();
  if (!labels) return has_row;
  const bool has_label = labels->next();
  if (has_row != has_label) fail_length(table, *labels, !has_row, !has_label);
  return has_row;
}

RowLabels::RowLabels(TableSource& table, const TableOptions& options,
                     const std::vector<std::string>& class_names, ReadingWatch watch)
    : table_(table), reading_(options.missing_label), class_names_(class_names) {
  check_label_source(options);
  if (!options.label.empty()) column_ = find_column(table, "label column", options.label);
  if (!options.labels.empty()) file_.emplace(options.labels, std::move(watch));
  for (std::size_t y = 0; y < class_names.size(); ++y) numbers_.emplace(class_names[y], static_cast<int>(y));
}

int RowLabels::number() const {
  const TableSource& source = file_ ? file_->table() : table_;
  const std::size_t column = file_ ? 0 : *column_;
  const std::string_view label = reading_(checked_text(source, column));
  if (label.empty()) return missing_label;
  const auto found = numbers_.find(label);
  if (found == numbers_.end()) fail_unknown(label);
  return found->second;
}

void RowLabels::fail_unknown(std::string_view label) const {
  ErrorParts parts;
  parts.place = file_ ? file_->table().place() : cell_place(table_, *column_);
  parts.statement = "the label is not a class of the model";
  parts.found = in_quotes(label);
  parts.expected = "one of " + name_list(class_names_);
  parts.remedy =
      "name it with " + mention("classes") + " when fitting, or empty the cell to leave the row out";
  throw Error(ErrorKind::data, std::move(parts));
}

int LabelCollector::number_of(std::string_view label) {
  const auto found = numbers_.find(label);
  if (found != numbers_.end()) return found->second;
  const auto number = static_cast<int>(names_.size());
  names_.emplace_back(label);
  numbers_.emplace(names_.back(), number);
  return number;
}

void LabelCollector::add(std::string_view label, const TableSource& table, std::size_t column) {
  const Index row = n_rows_++;
  if (label.empty()) return;
  rows_.push_back(row);
  const std::size_t n_before = names_.size();
  labels_.push_back(number_of(label));
  if (names_.size() == n_before) return;
  if (!is_valid_utf8(label))
    fail_data(cell_place(table, column), fmt::format("the label {} is not text in UTF-8", in_quotes(label)),
              convert_remedy);
  if (names_.size() > max_categories)
    fail_data(cell_place(table, column),
              fmt::format("here is the {}th different label; so many do not look like classes, but like an "
                          "identifier or a measured number",
                          names_.size()),
              "choose another label column");
}

void LabelCollector::add_classes(const std::vector<std::string>& classes, const LabelReading& reading) {
  for (const std::string& name : classes) {
    const std::string_view label = reading(trim(name));
    if (label.empty())
      fail_option("classes", fmt::format("the class {} means a missing label", in_quotes(name)),
                  "a class needs another name than an empty one, NA, <NA>, NaN, ? or that of " +
                      mention("missing_label"));
    if (!is_valid_utf8(label))
      fail_option("classes", fmt::format("the class {} is not text in UTF-8", in_quotes(name)));
    number_of(label);
  }
}

TableLabels LabelCollector::finish() {
  TableLabels labels;
  std::vector<int> place(names_.size());
  for (const std::size_t number : class_order(names_)) {
    place[number] = static_cast<int>(labels.class_names.size());
    labels.class_names.push_back(names_[number]);
  }
  for (int& label : labels_) label = place[static_cast<std::size_t>(label)];
  labels.rows = std::move(rows_);
  labels.classes = std::move(labels_);
  return labels;
}

} // namespace lacuna
