#pragma once

#include <string>

#include "lacuna/core/options.hpp"
#include "lacuna/pipeline/fit.hpp"

namespace lacuna::cli {

// Rows that the tables of several commands have.

template <class Arguments>
Option<Arguments> train_row() {
  return option<Arguments, std::string>("path", &FitRequest::path, "TRAIN",
                                        "Table with missing labels: CSV, NPY or IDX, plain or gzip");
}

template <class Arguments>
Option<Arguments> model_row(std::string Arguments::*field) {
  return option("model", field, "MODEL", "Model file written by lacuna fit");
}

template <class Arguments>
Option<Arguments> output_row(std::string Arguments::*field, const char* value_name, const char* help) {
  return option("output", field, value_name, help).in_group("General");
}

template <class Arguments>
Option<Arguments> config_row(std::string Arguments::*field) {
  return option("config", field, "FILE", "TOML file with options; those on the command line win over it")
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
