#include "core/torch_library.hpp"

#include <cstdlib>
#include <filesystem>
#include <vector>

#include <dlfcn.h>

#include "core/shared_library.hpp"
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
  SharedLibrary library;
  bool has_cuda = false;
  std::string problem; ///< where there is none
};

Loaded load() {
#ifndef LACUNA_TORCH
  return {{},
          false,
          "device: got cuda, but this lacuna was built without libtorch; use " + mention("device") +
              " cpu, or install the package libtorch-dev (Debian), configure again and rebuild"};
#endif
  SharedLibrary library = SharedLibrary::open(places());
  if (library.handle == nullptr)
    return {{},
            false,
            std::string("device: ") + library_name +
                ", the part of lacuna that computes on GPUs, cannot be loaded; it is built when libtorch is "
                "there (Debian package libtorch-dev) and needs libtorch1.13 to run. Put it beside the tool, "
                "name it in LACUNA_TORCH_LIBRARY, or use " +
                mention("device") + " cpu. Tried:" + library.tried};
  const auto entry = library.find<const TorchFacts* (*)()>(torch_facts_symbol);
  const TorchFacts* const facts = entry == nullptr ? nullptr : entry();
  if (facts == nullptr || facts->version != torch_library_version)
    return {{},
            false,
            "device: '" + library.place +
                "' belongs to another version of lacuna; install both from the same build"};
  return {std::move(library), facts->has_cuda, {}};
}

// To load libtorch takes a second: not where nobody asked for a GPU and none can be.
bool has_gpu_driver() {
  std::error_code problem;
  return std::filesystem::exists("/dev/nvidiactl", problem) || std::filesystem::exists("/dev/dxg", problem);
}

const Loaded& loaded() {
  static const Loaded once = load();
  return once;
}

} // namespace

const std::string& torch_problem() {
  return loaded().problem;
}

std::string gpu_problem() {
  if (!loaded().problem.empty() || loaded().has_cuda) return loaded().problem;
  return "device: got cuda, but libtorch finds no GPU here; use " + mention("device") +
         " cpu, or build lacuna with a CUDA libtorch and check the driver with nvidia-smi";
}

bool uses_gpu(Device device) {
  if (device == Device::cpu) return false;
  if (device == Device::auto_detect) return has_gpu_driver() && loaded().has_cuda;
  const std::string problem = gpu_problem();
  if (!problem.empty()) throw Error(ErrorKind::usage, problem);
  return true;
}

void* torch_symbol(const char* name) {
  if (!loaded().problem.empty()) throw Error(ErrorKind::usage, loaded().problem);
  return loaded().library.find<void*>(name);
}

} // namespace lacuna
