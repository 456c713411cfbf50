#pragma once

#include <functional>
#include <set>
#include <string>
#include <vector>

#include <CLI/App.hpp>

#include "lacuna/pipeline/settings.hpp"

namespace lacuna::cli {

/// Everything `lacuna fit`, or a command that fits as well, was asked for.
struct FitArguments {
  FitRequest request;
  std::string output;
  std::string json;
  bool force = false;
};

/// The options of `lacuna fit`, from the command line and from a configuration file. The library's table of
/// settings makes them; the command line wins over the file, and both win over a preset.
class FitOptions {
public:
  /// Adds the options to a subcommand, which must outlive this, except those named in `without`.
  explicit FitOptions(CLI::App& app, std::set<std::string> without = {});
  /// What the user meant, after the command line was read. Throws Error(usage), (no_input) or (config).
  FitArguments resolve() const;

private:
  struct Entry {
    FitSetting setting;
    CLI::Option* option;
    std::function<void(FitArguments&, const std::vector<std::string>&)> apply;
  };
  void add(CLI::App& app, const FitSetting& setting, const std::string& flags,
           std::function<void(FitArguments&, const std::vector<std::string>&)> apply);

  std::vector<Entry> entries_;
  std::set<std::string> without_;
  std::string command_;
  std::string path_;
  std::string config_;
};

} // namespace lacuna::cli
