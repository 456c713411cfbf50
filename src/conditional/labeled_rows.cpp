#include "conditional/labeled_rows.hpp"

#include "core/index.hpp"
#include "lacuna/core/errors.hpp"

namespace lacuna {

LabeledRows labeled_rows(const DatasetView& data) {
  LabeledRows labeled;
  std::vector<char> seen(at(data.n_classes()), 0);
  for (Index i = 0; i < data.n_rows(); ++i) {
    if (!data.is_labeled(i) || !(data.weight(i) > 0.0)) continue;
    labeled.rows.push_back(i);
    labeled.weights.push_back(data.weight(i));
    labeled.total_weight += data.weight(i);
    seen[static_cast<std::size_t>(data.labels[at(i)])] = 1;
  }
  if (labeled.rows.empty())
    throw Error(ErrorKind::data,
                "no row has a label and a weight above 0, so that nothing can be learned about "
                "the classes; label some rows");
  std::vector<std::size_t> place(seen.size());
  for (std::size_t y = 0; y < seen.size(); ++y) {
    if (seen[y] == 0) continue;
    place[y] = labeled.classes.size();
    labeled.classes.push_back(static_cast<int>(y));
  }
  for (const Index row : labeled.rows)
    labeled.place.push_back(place[static_cast<std::size_t>(data.labels[at(row)])]);
  return labeled;
}

std::vector<double> LabeledRows::class_weights() const {
  std::vector<double> sums(classes.size());
  for (std::size_t i = 0; i < rows.size(); ++i) sums[place[i]] += weights[i];
  return sums;
}

} // namespace lacuna
