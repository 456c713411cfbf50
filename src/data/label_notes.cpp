#include "data/label_notes.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <string_view>

#include <fmt/format.h>

#include "data/messages.hpp"

namespace lacuna {

namespace {

using Names = std::vector<std::string>;

/// In small letters, and with one space for many.
std::string spelled_alike(std::string_view name) {
  std::string key;
  for (const char c : name) {
    const bool is_blank = c == ' ' || c == '\t' || c == '_';
    if (is_blank && (key.empty() || key.back() == ' ')) continue;
    key += is_blank ? ' ' : static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  return key;
}

bool is_word_for_missing(std::string_view name) {
  constexpr std::array<std::string_view, 15> words{"unknown", "none", "null",      "n/a",        "na",
                                                   "missing", "-",    "unlabeled", "unlabelled", "undefined",
                                                   "(null)",  "#n/a", "not known", "\\n",        "--"};
  return std::ranges::find(words, spelled_alike(name)) != words.end();
}

bool is_number_for_missing(std::string_view name) {
  return name == "-1" || name == "-9" || name == "-99" || name == "-999" || name == "-9999";
}

void note_missing(const TableLabels& labels, Index n_rows, const TableSource& source, const Names& asked,
                  Names& notes) {
  const bool are_all_there = static_cast<Index>(labels.rows.size()) == n_rows;
  const std::size_t n_before = notes.size();
  for (const std::string& name : labels.class_names) {
    if (std::ranges::find(asked, name) != asked.end()) continue;
    // An array of whole numbers has no other way to say that there is no label.
    const bool may_be_number = are_all_there || (source.is_numeric() && name == "-1");
    if (is_word_for_missing(name) || (may_be_number && is_number_for_missing(name)))
      notes.push_back(
          fmt::format("{0} among the labels of {1} is taken for a class; if it marks rows without a "
                      "label, say so with {2} {0}",
                      is_number_for_missing(name) ? name : in_quotes(name), in_quotes(source.name()),
                      mention("missing_label")));
  }
  if (are_all_there && asked.empty() && notes.size() == n_before)
    notes.push_back(
        fmt::format("every row of {} has a label; if one of the classes marks rows without, say so "
                    "with {}",
                    in_quotes(source.name()), mention("missing_label")));
}

void note_measured(const TableLabels& labels, Names& notes) {
  constexpr std::size_t many = 20;
  const Names& names = labels.class_names;
  if (names.size() <= many) return;
  const auto is_number = [](const std::string& name) {
    return parse_number(name).kind == NumberKind::finite;
  };
  const auto has_fraction = [](const std::string& name) { return name.find('.') != std::string::npos; };
  if (!std::ranges::all_of(names, is_number)) return;
  if (!std::ranges::any_of(names, has_fraction) && 3 * names.size() < labels.rows.size()) return;
  notes.push_back(
      fmt::format("the labels are {} different numbers, such as {}, as if measured; lacuna predicts "
                  "classes, not numbers: cut them into ranges, or choose another column with {}",
                  names.size(), names.back(), mention("label")));
}

void note_spellings(const TableLabels& labels, Names& notes) {
  std::map<std::string, Names> alike;
  for (const std::string& name : labels.class_names) alike[spelled_alike(name)].push_back(name);
  for (const auto& [key, names] : alike)
    if (names.size() > 1)
      notes.push_back(
          fmt::format("the classes {} differ in case or spaces alone; where they are one, write them "
                      "alike in the column of {}",
                      name_list(names), mention("label")));
}

void note_single_rows(const TableLabels& labels, Names& notes) {
  std::vector<Index> counts(labels.class_names.size());
  for (const int label : labels.classes) ++counts[static_cast<std::size_t>(label)];
  Names single;
  for (std::size_t y = 0; y < counts.size(); ++y)
    if (counts[y] == 1) single.push_back(labels.class_names[y]);
  if (single.empty()) return;
  notes.push_back(fmt::format(
      "{}: {}; label more rows like that, or count one as unlabeled with {} {}",
      single.size() == 1 ? "one class has a single labeled row, so nothing can check what is said of it"
                         : fmt::format("{} classes have a single labeled row, so nothing can check what "
                                       "is said of them",
                                       single.size()),
      name_list(single), mention("missing_label"), shell_word(single.front())));
}

} // namespace

Names label_notes(const TableLabels& labels, Index n_rows, const TableSource& source, const Names& asked) {
  Names notes;
  note_missing(labels, n_rows, source, asked, notes);
  note_measured(labels, notes);
  note_spellings(labels, notes);
  note_single_rows(labels, notes);
  return notes;
}

} // namespace lacuna
