#include "learning/learnable.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "data/whole_table.hpp"
#include "lacuna/core/errors.hpp"

namespace lacuna {

namespace {

[[noreturn]] void fail_data(const std::string& statement, const std::string& remedy) {
  ErrorParts parts;
  parts.statement = statement;
  parts.remedy = remedy;
  throw Error(ErrorKind::data, std::move(parts));
}

} // namespace

void require_learnable(const DatasetView& data, const DensityFamily& family) {
  if (!family.handles_categories() &&
      std::any_of(data.levels.begin(), data.levels.end(), [](Index n) { return n > 0; }))
    fail_data("the data have columns of categories as numbers, which this density cannot take",
              "give each category a column of zeros and ones");
  if (!family.handles_missing_values()) require_complete(data, data.feature_names, "this density");
  Index n_labeled = 0;
  for (Index i = 0; i < data.n_rows(); ++i) n_labeled += data.is_labeled(i) && data.weight(i) > 0.0 ? 1 : 0;
  if (n_labeled == 0)
    fail_data("no row has a label", "label some rows of at least two classes, or check which column holds "
                                    "the labels and how missing ones are written");
  if (data.n_classes() < 2)
    fail_data(fmt::format("all {} labeled rows are of class '{}', so there is nothing to tell apart",
                          n_labeled, data.class_names.front()),
              "label rows of another class, or name the classes that exist beside it with " +
                  mention("classes"));
}

} // namespace lacuna
