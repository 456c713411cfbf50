#include "lacuna/pipeline/model.hpp"

#include <nlohmann/json.hpp>

#include "lacuna/core/errors.hpp"
#include "lacuna/model_io/archive_file.hpp"

namespace lacuna {

namespace {

Archive to_archive(const Model& model) {
  Archive archive;
  model.schema.save(archive, "schema/");
  model.classifier.save(archive, "classifier/");
  archive.put_text("record", model.record);
  return archive;
}

Model from_archive(const Archive& archive) {
  Model model{TableSchema::load(archive, "schema/"), GenerativeClassifier::load(archive, "classifier/"),
              archive.text("record")};
  if (model.schema.n_features() != model.classifier.n_features())
    throw Error(ErrorKind::data,
                "the model is damaged: its columns make " + std::to_string(model.schema.n_features()) +
                    " features, but its densities have " + std::to_string(model.classifier.n_features()));
  if (!nlohmann::json::accept(model.record))
    throw Error(ErrorKind::data, "the model is damaged: its record is not JSON");
  return model;
}

} // namespace

std::vector<char> encode_model(const Model& model) {
  return encode_archive(to_archive(model));
}

void save_model(const Model& model, const std::string& path, bool overwrite) {
  write_archive(to_archive(model), path, overwrite);
}

Model load_model(const std::string& path) {
  const Archive archive = read_archive(path); // its errors name the file already
  try {
    return from_archive(archive);
  } catch (const Error& error) {
    throw Error(error.kind(), "'" + path + "': " + error.what());
  }
}

} // namespace lacuna
