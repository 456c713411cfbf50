#include "checkpoint.hpp"

#include <climits>
#include <filesystem>
#include <string_view>

#include "lacuna/core/errors.hpp"

namespace lacuna::cli {

Checkpoint::Checkpoint(FitRequest& request, const std::string& path) {
  if (!request.has("vae") || !request.vae.vae_checkpoint.empty()) return;
  path_ = path;
  request.vae.vae_checkpoint = path;
}

std::string checkpoint_beside(const std::string& output) {
  constexpr std::string_view ending = ".checkpoint";
  const std::filesystem::path path(output);
  const std::string name = path.filename().string().substr(0, NAME_MAX - ending.size());
  return (path.parent_path() / (name + std::string(ending))).string();
}

void Checkpoint::remove() const {
  std::error_code ignored;
  if (!path_.empty()) std::filesystem::remove(path_, ignored);
}

NamedFile checkpoint_file(const FitRequest& request) {
  return {mention("vae_checkpoint"), request.has("vae") ? request.vae.vae_checkpoint : ""};
}

} // namespace lacuna::cli
