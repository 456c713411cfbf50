#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include <dlfcn.h>

#include "core/shared_library.hpp"
#include "features/vae_plugin.hpp"
#include "lacuna/core/errors.hpp"

namespace lacuna {

namespace {

constexpr const char* library_name = "liblacuna_torch.so";

// Where the code you read now was loaded from: the tool, or a shared library.
std::filesystem::path own_folder() {
  Dl_info info{};
  if (dladdr(reinterpret_cast<const void*>(&own_folder), &info) == 0 || info.dli_fname == nullptr) return {};
  std::error_code problem;
  const std::filesystem::path own = std::filesystem::canonical(info.dli_fname, problem);
  // A program found through PATH may be named without its folder.
  if (problem) return std::filesystem::canonical("/proc/self/exe", problem).parent_path();
  return own.parent_path();
}

std::vector<std::string> places() {
  if (const char* chosen = std::getenv("LACUNA_TORCH_LIBRARY")) return {chosen};
  const std::filesystem::path folder = own_folder();
  return {(folder / library_name).string(), (folder.parent_path() / library_name).string(),
          (folder / LACUNA_FROM_BIN_TO_LIB / library_name).lexically_normal().string(), library_name};
}

struct Loaded {
  const VaePlugin* plugin = nullptr;
  std::string problem; ///< where there is none
};

Loaded load() {
#ifndef LACUNA_TORCH
  return {nullptr, "device: got cuda, but this lacuna was built without libtorch; use " + mention("device") +
                       " cpu, or install the "
                       "package libtorch-dev (Debian), configure again and rebuild"};
#endif
  const SharedLibrary library = SharedLibrary::open(places());
  if (library.handle != nullptr) {
    const auto entry = library.find<const VaePlugin* (*)()>(vae_plugin_symbol);
    const VaePlugin* plugin = entry == nullptr ? nullptr : entry();
    if (plugin == nullptr || plugin->version != vae_plugin_version)
      return {nullptr, "vae: '" + library.place +
                           "' belongs to another version of lacuna; install both from the same build"};
    return {plugin, {}};
  }
  return {nullptr,
          std::string("vae: ") + library_name +
              ", the part of lacuna that trains on GPUs, cannot be loaded; it is built when libtorch is "
              "there (Debian package libtorch-dev) and needs libtorch1.13 to run. Put it beside the tool, "
              "name it in LACUNA_TORCH_LIBRARY, or use " +
              mention("device") + " cpu. Tried:" + library.tried};
}

const Loaded& loaded() {
  static const Loaded once = load();
  return once;
}

} // namespace

const VaePlugin& vae_plugin() {
  if (loaded().plugin == nullptr) throw Error(ErrorKind::usage, loaded().problem);
  return *loaded().plugin;
}

bool trains_on_gpu(VaeDevice device) {
  if (device == VaeDevice::cpu) return false;
  if (device == VaeDevice::auto_detect) return loaded().plugin != nullptr && loaded().plugin->has_cuda;
  if (!vae_plugin().has_cuda)
    throw Error(ErrorKind::usage, "device: got cuda, but libtorch finds no GPU here; use " +
                                      mention("device") +
                                      " cpu, or build "
                                      "lacuna with a CUDA libtorch and check the driver with nvidia-smi");
  return true;
}

} // namespace lacuna
