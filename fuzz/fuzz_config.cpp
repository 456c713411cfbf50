// A configuration file of `lacuna fit`, by the tool's own way from TOML to a checked request: refused with an
// error about usage or configuration, or its record sets the same options again.
#include <sys/mman.h>
#include <unistd.h>

#include "console.hpp"
#include "properties.hpp"
#include "run_command.hpp"

namespace {

using namespace lacuna;

struct Arguments : FitRequest {
  std::string config;
};

std::vector<std::string> texts_of(const OptionValue& value) {
  if (const auto* const texts = std::get_if<std::vector<std::string>>(&value)) return *texts;
  if (const auto* const numbers = std::get_if<std::vector<Index>>(&value)) {
    std::vector<std::string> texts;
    for (const Index number : *numbers) texts.push_back(std::to_string(number));
    return texts;
  }
  return {to_string(value)};
}

void work(const Arguments& arguments) {
  const FitPlan plan{FitRequest(arguments)}; // it checks the limits
  const auto record = recorded_options(plan.request());
  std::vector<GivenOption> given;
  for (const auto& [name, value] : record) given.push_back({name, texts_of(value)});
  FitRequest again;
  set_options(again, given);
  require(recorded_options(again) == record);
}

const cli::Command& command() {
  static const cli::Command fit = cli::make_command<Arguments>(
      {"fit", "", "", ""}, {.options = {option("config", &Arguments::config, "FILE", "Configuration")}},
      work);
  return fit;
}

/// The path of a file with these bytes; it lasts until the next call. The standard library opens it, so that
/// it must be one of the kernel's, in memory.
std::string path_of(const std::uint8_t* bytes, std::size_t size) {
  static const int descriptor = memfd_create("fuzz", MFD_CLOEXEC);
  require(ftruncate(descriptor, static_cast<off_t>(size)) == 0);
  require(pwrite(descriptor, bytes, size, 0) == static_cast<ssize_t>(size));
  return "/proc/self/fd/" + std::to_string(descriptor);
}

} // namespace

/// There is no console here.
void lacuna::cli::be_quiet() {}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    cli::run_command(command(), {{"config", {path_of(data, size)}}});
  } catch (const Error& error) {
    require(error.kind() == ErrorKind::config || error.kind() == ErrorKind::usage);
  }
  return 0;
}
