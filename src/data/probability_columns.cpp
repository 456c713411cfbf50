#include "data/probability_columns.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "data/messages.hpp"
#include "data/text_map.hpp"
#include "lacuna/core/errors.hpp"

namespace lacuna {

namespace {

constexpr std::string_view column_prefix = "p_";

class ColumnFinder {
public:
  ColumnFinder(const TableSource& table, const ProbabilityNames& names)
      : table_(table), names_(names), columns_(table.column_names()) {}

  ProbabilityColumns find() {
    find_label();
    if (!names_.stratum.empty()) found_.stratum = find_column(table_, "stratum column", names_.stratum);
    if (table_.has_names()) {
      found_.prediction = place_of("prediction");
      found_.error_probability = place_of("error_probability");
    }
    if (!table_.has_names()) {
      take_by_position();
    } else if (!names_.classes.empty()) {
      for (const std::string& name : names_.classes) take_by_name(name);
    } else {
      take_all();
    }
    check();
    return std::move(found_);
  }

private:
  std::optional<std::size_t> place_of(std::string_view name) const {
    const auto found = std::ranges::find(columns_, name);
    if (found == columns_.end()) return std::nullopt;
    return static_cast<std::size_t>(found - columns_.begin());
  }

  void find_label() {
    if (names_.has_labels_file) return;
    if (!names_.label.empty()) {
      found_.label = find_column(table_, "label column", names_.label);
    } else {
      found_.label = place_of("label");
      if (!found_.label) fail_no_label();
    }
  }

  [[noreturn]] void fail_no_label() const {
    ErrorParts parts;
    parts.place = in_file(table_.path());
    parts.statement = "it has no column 'label', and it is not said where the labels are";
    parts.remedy = "give " + mention("label") + ", for another column, or " + mention("labels") +
                   ", for a file with one label per row";
    throw Error(ErrorKind::usage, std::move(parts));
  }

  void take(std::string_view name, std::size_t place) {
    found_.class_names.emplace_back(canonical_text(name));
    found_.classes.push_back(place);
  }

  void take_by_name(const std::string& name) {
    std::optional<std::size_t> place = place_of(std::string(column_prefix) + name);
    if (!place) place = place_of(name);
    if (!place)
      fail_data(in_file(table_.path()), fmt::format("it has no column {} for the class {}; it has {}",
                                                    in_quotes(std::string(column_prefix) + name),
                                                    in_quotes(name), name_list(columns_)));
    take(name, *place);
  }

  bool is_other(std::size_t place) const {
    const std::string& name = columns_[place];
    const bool is_index = place == 0 && table_.is_first_name_empty(); // as pandas writes one
    return is_index || place == found_.label || place == found_.stratum || place == found_.prediction ||
           place == found_.error_probability || name == "informative" || name == "log_ratio";
  }

  void take_all() {
    const auto has_prefix = [](const std::string& name) { return name.starts_with(column_prefix); };
    const bool is_prefixed = std::ranges::any_of(columns_, has_prefix);
    for (std::size_t j = 0; j < columns_.size(); ++j) {
      if (is_other(j) || (is_prefixed && !has_prefix(columns_[j]))) continue;
      take(std::string_view(columns_[j]).substr(is_prefixed ? column_prefix.size() : 0), j);
    }
  }

  void take_by_position() {
    for (std::size_t j = 0; j < columns_.size(); ++j) {
      if (place_is_taken(j)) continue;
      const std::size_t number = found_.classes.size();
      take(number < names_.classes.size() ? names_.classes[number] : std::to_string(number), j);
    }
    if (!names_.classes.empty() && names_.classes.size() != found_.classes.size())
      fail_data(in_file(table_.path()),
                fmt::format("it has {} columns of probabilities, but {} classes were named",
                            found_.classes.size(), names_.classes.size()));
  }

  bool place_is_taken(std::size_t place) const { return place == found_.label || place == found_.stratum; }

  void check() const {
    const std::size_t n = found_.classes.size();
    if (n < 2 || n > max_categories)
      fail_value(
          in_file(table_.path()), fmt::format("{} columns of class probabilities", n),
          fmt::format("2 to {}", max_categories),
          fmt::format("it has the columns {}; name a class's column after the class, or p_ and the class",
                      name_list(columns_)));
    TextSet seen;
    for (const std::string& name : found_.class_names)
      if (!seen.insert(name).second)
        fail_data(in_file(table_.path()), fmt::format("two columns stand for the class {}", in_quotes(name)),
                  "name the classes with " + mention("classes"));
  }

  const TableSource& table_;
  const ProbabilityNames& names_;
  const std::vector<std::string>& columns_;
  ProbabilityColumns found_;
};

} // namespace

ProbabilityColumns find_probability_columns(const TableSource& table, const ProbabilityNames& names) {
  return ColumnFinder(table, names).find();
}

} // namespace lacuna
