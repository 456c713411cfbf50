#pragma once

#include <initializer_list>
#include <string>
#include <vector>

#include "lacuna/core/errors.hpp"
#include "lacuna/core/options.hpp"
#include "lacuna/pipeline/fit.hpp"
#include "output.hpp"

namespace lacuna::cli {

// Fields and rows that several commands have.

/// What commands that fit take beside what they ask of the library.
struct FitFiles {
  std::string config; ///< read before the command runs
  bool force = false;
};

/// What a fit reads.
template <class Arguments>
std::vector<NamedFile> fit_inputs(const Arguments& arguments) {
  return {{"TRAIN", arguments.path},
          {mention("labels"), arguments.labels},
          {mention("config"), arguments.config}};
}

/// The rows of all the tables, in their order.
template <class Arguments>
OptionTable<Arguments> joined(std::initializer_list<OptionTable<Arguments>> tables) {
  OptionTable<Arguments> rows;
  for (const OptionTable<Arguments>& table : tables) rows.insert(rows.end(), table.begin(), table.end());
  return rows;
}

template <class Arguments>
Option<Arguments> train_row() {
  return option<Arguments, std::string>(
      "path", &FitRequest::path, "TRAIN",
      "Table with missing labels: CSV, NPY or IDX, plain or gzip; a pattern "
      "in quotes stands for all its files");
}

template <class Arguments>
Option<Arguments> model_row(std::string Arguments::*field) {
  return option("model", field, "MODEL", "Model file written by lacuna fit");
}

/// The positionals of a command that scores rows.
template <class Arguments>
OptionTable<Arguments> model_and_data(std::string Arguments::*model, std::string Arguments::*data,
                                      const char* data_help) {
  return {model_row(model), option("data", data, "DATA", data_help)};
}

template <class Arguments>
Option<Arguments> output_row(std::string Arguments::*field, const char* value_name, const char* help) {
  return option("output", field, value_name, help).in_group("General");
}

template <class Arguments>
Option<Arguments> config_row() {
  return option<Arguments, std::string>("config", &FitFiles::config, "FILE",
                                        "TOML file with options; those on the command line win over it")
      .in_group("General");
}

template <class Arguments>
Option<Arguments> json_row(std::string Arguments::*field, const char* help) {
  return option("json", field, "FILE", help).in_group("General");
}

inline constexpr const char* report_help =
    "Write a page with figures that opens in any browser, without a network";

template <class Arguments>
Option<Arguments> report_row(std::string Arguments::*field, const char* help) {
  return option("report", field, "FILE.html", help).in_group("General");
}

template <class Arguments>
Option<Arguments> force_row(bool Arguments::*field) {
  return option("force", field, "", "Replace output files that exist").in_group("General");
}

} // namespace lacuna::cli
