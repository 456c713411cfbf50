#include "lacuna/pipeline/model.hpp"

#include <nlohmann/json.hpp>

#include "lacuna/core/errors.hpp"
#include "model_io/archive_file.hpp"

namespace lacuna {

namespace {

Archive to_archive(const Model& model) {
  Archive archive;
  model.schema.save(archive, "schema/");
  model.features.save(archive, "features/");
  model.classifier.save(archive, "classifier/");
  archive.put_text("record", model.record);
  return archive;
}

Model restore(const Archive& archive) {
  Model model{TableSchema::load(archive, "schema/"), FeatureChain::load(archive, "features/"),
              GenerativeClassifier::load(archive, "classifier/"), archive.text("record")};
  const Index n_columns = model.schema.n_features();
  const Index n_inputs = model.features.empty() ? n_columns : model.features.maps().front()->n_inputs();
  const Index n_outputs = model.features.n_outputs(n_columns);
  if (n_inputs != n_columns || n_outputs != model.classifier.n_features())
    throw Error(ErrorKind::data, "the model is damaged: its columns make " + std::to_string(n_columns) +
                                     " features, its maps take " + std::to_string(n_inputs) + " and make " +
                                     std::to_string(n_outputs) + ", and its densities have " +
                                     std::to_string(model.classifier.n_features()));
  if (!nlohmann::json::accept(model.record))
    throw Error(ErrorKind::data, "the model is damaged: its record is not JSON");
  return model;
}

// Reading the archive has named its source already; these errors have to.
Model from_archive(const Archive& archive, const std::string& name) {
  try {
    return restore(archive);
  } catch (const Error& error) {
    throw Error(error.kind(), "'" + name + "': " + error.what());
  }
}

} // namespace

void Model::check_missing_values(MatrixView rows, Index first_row) const {
  const std::vector<std::string> names = schema.feature_names();
  features.check_missing_values(rows, names, first_row);
  if (!classifier.handles_missing_values())
    require_complete(rows, names, first_row, "the density of this model");
}

Scores Model::score(MatrixView rows, Index first_row, int threads) const {
  check_missing_values(rows, first_row);
  if (features.empty()) return classifier.score(rows, threads);
  return classifier.score(features.apply(rows, first_row, threads).view(), threads);
}

std::vector<char> encode_model(const Model& model) {
  return encode_archive(to_archive(model));
}

void save_model(const Model& model, const std::string& path, bool overwrite) {
  write_archive(to_archive(model), path, overwrite);
}

Model decode_model(std::string_view bytes, const std::string& name) {
  return from_archive(decode_archive(bytes, name), name);
}

Model load_model(const std::string& path) {
  return from_archive(read_archive(path), path);
}

} // namespace lacuna
