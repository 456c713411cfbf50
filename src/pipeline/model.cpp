#include "lacuna/pipeline/model.hpp"

#include <algorithm>
#include <exception>

#include <fmt/format.h>

#include "lacuna/conditional/conditional.hpp"
#include "lacuna/core/errors.hpp"
#include "lacuna/density/families.hpp"
#include "lacuna/features/fit_features.hpp"
#include "model_io/archive_file.hpp"
#include "pipeline/mapped_rows.hpp"
#include "pipeline/record_json.hpp"

namespace lacuna {

namespace {

Archive to_archive(const Model& model) {
  Archive archive;
  model.schema.save(archive, "schema/");
  model.features.save(archive, "features/");
  model.classifier.save(archive, "classifier/");
  archive.put_text("record", record_json(model.record));
  return archive;
}

Model restore(const Archive& archive) {
  Model model{TableSchema::load(archive, "schema/"), FeatureChain::load(archive, "features/"),
              GenerativeClassifier::load(archive, "classifier/"), read_record(archive.text("record"))};
  const Index n_columns = model.schema.n_features();
  const Index n_inputs = model.features.empty() ? n_columns : model.features.maps().front()->n_inputs();
  const Index n_outputs = model.features.n_outputs(n_columns);
  if (n_inputs != n_columns || n_outputs != model.classifier.n_features())
    throw Error(
        ErrorKind::data,
        fmt::format("the model is damaged: its columns make {} features, its maps take {} and make {}, "
                    "and its densities have {}",
                    n_columns, n_inputs, n_outputs, model.classifier.n_features()));
  const auto has = [](const std::vector<std::string>& names, Index n) {
    return static_cast<Index>(names.size()) == n;
  };
  const FitRecord& record = model.record;
  if (!has(record.classes, model.classifier.n_classes()) || !has(record.features, n_columns) ||
      !has(record.model_features, n_outputs))
    throw Error(ErrorKind::data, "the model is damaged: its record tells of other classes or features");
  return model;
}

/// Whether this process knows every family and kind of map in a model. Those of a user's own can be saved
/// without being registered; whoever loads the model registers them.
bool knows_all_parts(const Archive& archive) {
  return std::ranges::all_of(archive.texts(), [](const auto& named) {
    const auto& [name, text] = named;
    if (name.ends_with("/family")) return can_load_density(text) || can_load_conditional(text);
    return !name.starts_with("features/") || !name.ends_with("/kind") || find_feature_map(text) != nullptr;
  });
}

/// What cannot be read back, such as a name of five megabytes, is not written: that would show when the fit
/// is long gone.
void require_readable(const Archive& archive) {
  if (!knows_all_parts(archive)) return;
  ErrorParts parts;
  try {
    restore(archive);
    return;
  } catch (const Error& error) {
    parts = error.parts();
  }
  // The same words tell those who load it that it is damaged.
  if (parts.statement.starts_with("the model is damaged"))
    parts.statement = parts.statement.substr(parts.statement.find(": ") + 2);
  parts.statement = "the model cannot be saved, since nobody could read it: " + parts.statement;
  throw Error(ErrorKind::data, std::move(parts));
}

Archive to_readable_archive(const Model& model) {
  Archive archive = to_archive(model);
  require_readable(archive);
  return archive;
}

// Reading the archive has named its source already; these errors have to.
Model from_archive(const Archive& archive, const std::string& name) {
  ErrorParts parts;
  try {
    return restore(archive);
  } catch (const Error& error) {
    parts = error.parts();
  } catch (const std::exception& problem) { // of a special function, or for want of memory
    parts.statement = std::string("the model is damaged, or does not fit into memory: ") + problem.what();
  }
  // Whatever is wrong, it is the content of this file, not what somebody asked for.
  parts.place.file = name;
  throw Error(ErrorKind::data, std::move(parts));
}

} // namespace

MappedRows::MappedRows(const Model& model, MatrixView columns, const ApplyOptions& how) : features_(columns) {
  const std::vector<std::string> names = model.schema.feature_names();
  model.features.check_missing_values(columns, names, how.first_row);
  if (!model.classifier.handles_missing_values())
    require_complete(columns, names, how.first_row, "the density of this model");
  if (model.features.empty()) return;
  mapped_ = model.features.apply(columns, how);
  features_ = mapped_.view();
}

bool Model::handles_missing_values() const {
  const auto& maps = features.maps();
  return classifier.handles_missing_values() &&
         std::all_of(maps.begin(), maps.end(), [](const auto& map) { return map->handles_missing_values(); });
}

Scores Model::score(MatrixView rows, const ApplyOptions& how) const {
  return classifier.score(MappedRows(*this, rows, how).features(), how.threads);
}

std::vector<char> encode_model(const Model& model) {
  return encode_archive(to_readable_archive(model));
}

void save_model(const Model& model, const std::string& path, bool overwrite) {
  write_archive(to_readable_archive(model), path, overwrite);
}

Model decode_model(std::string_view bytes, const std::string& name) {
  return from_archive(decode_archive(bytes, name), name);
}

Model load_model(const std::string& path) {
  return from_archive(read_archive(path), path);
}

} // namespace lacuna
