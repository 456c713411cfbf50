#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include <dlfcn.h>

#include "features/vae_engine.hpp"
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

const VaePlugin& load() {
#ifndef LACUNA_TORCH
  throw Error(ErrorKind::usage, "vae: this lacuna was built without libtorch; install the package "
                                "libtorch-dev (Debian), configure again and rebuild, or use " +
                                    mention("features") + " pca");
#endif
  std::string tried;
  for (const std::string& place : places()) {
    // Everything is looked up at once, so that a library that does not fit fails here and not in training.
    void* library = dlopen(place.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) {
      const char* reason = dlerror();
      tried += std::string("\n  ") + (reason == nullptr ? place.c_str() : reason);
      continue;
    }
    using Entry = const VaePlugin* (*)();
    const auto entry = reinterpret_cast<Entry>(dlsym(library, vae_plugin_symbol));
    const VaePlugin* plugin = entry == nullptr ? nullptr : entry();
    if (plugin == nullptr || plugin->version != vae_plugin_version)
      throw Error(ErrorKind::usage, "vae: '" + place +
                                        "' belongs to another version of lacuna; install both "
                                        "from the same build");
    return *plugin;
  }
  throw Error(
      ErrorKind::usage,
      std::string("vae: ") + library_name +
          ", the part of lacuna that trains networks, cannot be loaded; it is built when libtorch is "
          "there (Debian package libtorch-dev) and needs libtorch1.13 to run. Put it beside the tool, "
          "or name it in LACUNA_TORCH_LIBRARY. Tried:" +
          tried);
}

} // namespace

const VaePlugin& vae_plugin() {
  static const VaePlugin& plugin = load();
  return plugin;
}

} // namespace lacuna
