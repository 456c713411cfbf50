#include "checkpoint.hpp"

#include <filesystem>

#include "lacuna/core/errors.hpp"

namespace lacuna::cli {

Checkpoint::Checkpoint(FitRequest& request, const std::string& path) {
  if (!request.has("vae") || !request.vae.vae_checkpoint.empty()) return;
  path_ = path;
  request.vae.vae_checkpoint = path;
}

void Checkpoint::remove() const {
  std::error_code ignored;
  if (!path_.empty()) std::filesystem::remove(path_, ignored);
}

NamedFile checkpoint_file(const FitRequest& request) {
  return {mention("vae_checkpoint"), request.has("vae") ? request.vae.vae_checkpoint : ""};
}

} // namespace lacuna::cli
