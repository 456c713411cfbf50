#include <algorithm>
#include <set>

#include <nlohmann/json.hpp>

#include "core/archive_checks.hpp"
#include "core/json_depth.hpp"
#include "data/messages.hpp"
#include "lacuna/data/table.hpp"

namespace lacuna {

namespace {

constexpr const char* entry = "schema";

TableColumn column_from(const nlohmann::json& source) {
  TableColumn column;
  column.name = source.at("name").get<std::string>();
  if (source.contains("categories")) {
    column.is_categorical = true;
    column.categories = source.at("categories").get<std::vector<std::string>>();
    column.is_coded = source.value("is_coded", false);
  }
  return column;
}

/// What the encoder relies on.
bool is_sound(const TableSchema& schema) {
  std::set<std::string> names;
  return !schema.columns.empty() && std::ranges::all_of(schema.columns, [&](const TableColumn& column) {
    return names.insert(column.name).second && column.is_categorical == !column.categories.empty() &&
           std::ranges::adjacent_find(column.categories, std::greater_equal<>()) == column.categories.end();
  });
}

bool is_short(const TableSchema& schema) {
  const auto fits = [](const std::string& text) { return text.size() <= longest_saved_text; };
  return fits(schema.label_column) && std::ranges::all_of(schema.missing_values, fits) &&
         std::ranges::all_of(schema.columns, [&](const TableColumn& column) {
           return fits(column.name) && std::ranges::all_of(column.categories, fits);
         });
}

} // namespace

std::vector<std::string> TableSchema::feature_names() const {
  std::vector<std::string> names;
  for (const TableColumn& column : columns) {
    if (!column.is_categorical || column.is_coded) {
      names.push_back(column.name);
      continue;
    }
    for (const std::string& category : column.categories) names.push_back(column.name + "=" + category);
  }
  return names;
}

Index TableSchema::n_features() const {
  Index n = 0;
  for (const TableColumn& column : columns)
    n += column.is_categorical && !column.is_coded ? static_cast<Index>(column.categories.size()) : 1;
  return n;
}

std::vector<Index> TableSchema::levels() const {
  std::vector<Index> result;
  bool has_codes = false;
  for (const TableColumn& column : columns) {
    const auto n = static_cast<Index>(column.categories.size());
    has_codes |= column.is_coded;
    if (column.is_coded)
      result.push_back(n);
    else
      result.insert(result.end(), column.is_categorical ? column.categories.size() : 1, 0);
  }
  return has_codes ? result : std::vector<Index>{};
}

void TableSchema::save(Archive& archive, const std::string& prefix) const {
  nlohmann::json saved = {{"label_column", label_column}, {"columns", nlohmann::json::array()}};
  if (!missing_values.empty()) saved["missing_values"] = missing_values;
  for (const TableColumn& column : columns) {
    nlohmann::json& target = saved["columns"].emplace_back();
    target["name"] = column.name;
    if (column.is_categorical) target["categories"] = column.categories;
    if (column.is_coded) target["is_coded"] = true;
  }
  archive.put_text(prefix + entry, saved.dump());
}

TableSchema TableSchema::load(const Archive& archive, const std::string& prefix) {
  TableSchema schema;
  const std::string& text = archive.text(prefix + entry);
  try {
    const nlohmann::json saved = nests_too_deeply(text) ? nlohmann::json() : nlohmann::json::parse(text);
    schema.label_column = saved.at("label_column").get<std::string>();
    schema.missing_values = saved.value("missing_values", std::vector<std::string>());
    for (const nlohmann::json& column : saved.at("columns")) schema.columns.push_back(column_from(column));
  } catch (const nlohmann::json::exception&) {
    schema.columns.clear();
  }
  if (!is_sound(schema) || !is_short(schema))
    fail_data({}, "the model is damaged or from another version: '" + prefix + entry + "' cannot be read");
  return schema;
}

} // namespace lacuna
