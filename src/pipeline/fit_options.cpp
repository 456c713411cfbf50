#include "lacuna/pipeline/fit.hpp"

#include <algorithm>

#include "data/table_rows.hpp"
#include "pipeline/memory_plan.hpp"

namespace lacuna {

namespace {

using Row = Option<FitRequest>;
using Texts = std::vector<std::string>;

void append(OptionTable<FitRequest>& all, OptionTable<FitRequest> rows) {
  all.insert(all.end(), std::make_move_iterator(rows.begin()), std::make_move_iterator(rows.end()));
}

Row preset_row() {
  Row row;
  row.name = "preset";
  row.group = "Method";
  row.value_name = "NAME";
  row.help = "paper: settings as in the paper's experiments; explicit options win over it";
  row.kind = OptionKind::choice;
  row.choices = {"paper"};
  row.expected = "paper";
  row.is_recorded = false;
  row.set = [info = OptionInfo(row)](FitRequest& request, const Texts& texts) {
    if (texts.at(0) != "paper") detail::refuse(info, texts.at(0));
    apply_paper_preset(request);
  };
  return row;
}

Row classes_row() {
  return option("classes", &FitRequest::classes, "A,B,...",
                "Classes that may have no labeled row; those found in the labels are added")
      .in_group("Data");
}

Row memory_row() {
  return option<FitRequest, std::optional<double>>(
             "memory", &FitRequest::memory, "SIZE",
             "Memory the fit may take: of a table that needs more, labeled rows and a sample of the others "
             "are in memory, and all rows pass by",
             "all, or a number with K, M, G or T behind it, such as 2G", read_memory, memory_text,
             [](const std::optional<double>& bytes) { return !bytes || *bytes > 0.0; })
      .in_group("Data");
}

Row density_row() {
  Row row;
  row.name = "density";
  row.group = "Density";
  row.value_name = "FAMILY";
  row.kind = OptionKind::choice;
  row.choices = density_family_names();
  for (const std::string& name : row.choices) row.expected += (row.expected.empty() ? "" : ", ") + name;
  row.help = "Density family, one of " + row.expected;
  row.expected = "one of " + row.expected;
  row.set = [](FitRequest& request, const Texts& texts) { request.density = texts.at(0); };
  row.get = [](const FitRequest& request) -> OptionValue { return request.density.family(); };
  return row;
}

std::string joined(const Texts& words, const char* separator) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : separator) + word;
  return text;
}

const Option<std::any>* find(const OptionTable<std::any>& rows, const std::string& name) {
  const auto found =
      std::find_if(rows.begin(), rows.end(), [&](const auto& row) { return row.name == name; });
  return found != rows.end() ? &*found : nullptr;
}

/// The row of the chosen family for an option's name; nothing when it has no such option.
std::shared_ptr<const Option<std::any>> chosen_row(const FitRequest& request, const std::string& name) {
  for (const auto& entry : density_families())
    if (entry->name == request.density.family())
      if (const Option<std::any>* const row = find(entry->options, name)) return {entry, row};
  return nullptr;
}

/// An option of the chosen family would do nothing for another, which is not what the user expects of it.
[[noreturn]] void refuse_family(const FitRequest& request, const OptionInfo& info) {
  ErrorParts parts;
  parts.option = info.name;
  parts.statement = "density family " + request.density.family() + " has no such option";
  parts.remedy = "leave it out, or choose " + mention("density") + " " + joined(info.families, " or ");
  throw Error(ErrorKind::usage, std::move(parts));
}

/// The options of all families. One that several have stands there once and speaks of the chosen family's.
OptionTable<FitRequest> family_rows() {
  OptionTable<FitRequest> rows;
  for (const auto& entry : density_families()) {
    for (const Option<std::any>& own : entry->options) {
      const auto same =
          std::find_if(rows.begin(), rows.end(), [&](const Row& row) { return row.name == own.name; });
      if (same != rows.end()) {
        same->families.push_back(entry->name);
        continue;
      }
      Row row;
      static_cast<OptionInfo&>(row) = own;
      row.group = "Density";
      rows.push_back(std::move(row));
    }
  }
  for (Row& row : rows) {
    row.set = [info = OptionInfo(row)](FitRequest& request, const Texts& texts) {
      if (const auto own = chosen_row(request, info.name)) return own->set(request.density.values(), texts);
      // An unknown family is what the user should hear of first.
      if (request.density.values().has_value()) refuse_family(request, info);
    };
    row.get = [name = row.name](const FitRequest& request) {
      return chosen_row(request, name)->get(request.density.values());
    };
    row.help = joined(row.families, ", ") + ": " + row.help;
  }
  return rows;
}

bool counts(const Row& row, const FitRequest& request) {
  if (!row.is_recorded) return false;
  if (!row.feature_map.empty()) return request.has(row.feature_map);
  return row.families.empty() ||
         std::find(row.families.begin(), row.families.end(), request.density.family()) != row.families.end();
}

} // namespace

OptionTable<FitRequest> fit_options() {
  OptionTable<FitRequest> all{preset_row()};
  OptionTable<FitRequest> learning = rows_of<FitRequest, LearningOptions>();
  const auto run =
      std::find_if(learning.begin(), learning.end(), [](const Row& row) { return row.group == "Run"; });
  all.insert(all.end(), learning.begin(), run);
  OptionTable<FitRequest> table = table_rows<FitRequest>({}, {});
  const auto after_labels =
      std::find_if(table.begin(), table.end(), [](const Row& row) { return row.name == "missing_label"; });
  table.insert(after_labels, classes_row());
  table.push_back(memory_row());
  append(all, std::move(table));
  OptionTable<FitRequest> features = rows_of<FitRequest, FeatureOptions>();
  all.push_back(features.front());
  all.push_back(density_row());
  append(all, family_rows());
  all.insert(all.end(), features.begin() + 1, features.end());
  all.insert(all.end(), run, learning.end());
  return all;
}

void set_options(FitRequest& request, const std::vector<GivenOption>& given) {
  const OptionTable<FitRequest> all = fit_options();
  const auto row_named = [&](const std::string& name) -> const Row& {
    const auto found = std::find_if(all.begin(), all.end(), [&](const Row& row) { return row.name == name; });
    if (found != all.end()) return *found;
    ErrorParts parts;
    parts.option = name;
    parts.statement = "there is no such option";
    throw Error(ErrorKind::usage, std::move(parts));
  };
  const auto set_if = [&](const auto& is_wanted) {
    for (const GivenOption& each : given) {
      if (!is_wanted(each.name)) continue;
      const Row& row = row_named(each.name);
      if (!row.is_list() && each.texts.size() != 1) detail::refuse(row, joined(each.texts, ", "));
      row.set(request, each.texts);
    }
  };
  set_if([](const std::string& name) { return name == "density"; });
  set_if([](const std::string& name) { return name == "preset"; });
  set_if([](const std::string& name) { return name != "density" && name != "preset"; });
}

std::vector<std::pair<std::string, OptionValue>> recorded_options(const FitRequest& request) {
  std::vector<std::pair<std::string, OptionValue>> options;
  for (const Row& row : fit_options())
    if (counts(row, request)) options.emplace_back(row.name, row.get(request));
  return options;
}

} // namespace lacuna
