#include "checkpoint.hpp"

#include <filesystem>

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

} // namespace lacuna::cli
