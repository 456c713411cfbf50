// A density family of your own in lacuna's method: a product of Laplace distributions, one per feature. It is
// fitted with weights, has an option of its own, is registered under a name, saved and loaded like any other.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iostream>
#include <memory>
#include <utility>

#include "lacuna/lacuna.hpp"

namespace {

using lacuna::Index;

/// Its options. From the table come checks and the record inside a model, and flags where a tool registers
/// the family.
struct LaplaceOptions {
  static constexpr const char* family = "laplace";
  double least_width = 1e-9;

  static const lacuna::OptionTable<LaplaceOptions>& table() {
    static const lacuna::OptionTable<LaplaceOptions> rows{
        lacuna::option("least_width", &LaplaceOptions::least_width, "X",
                       "Width of a single row, relative to the data's deviation", {.above = 0.0})};
    return rows;
  }
};

/// The fitted density: exp(-|x - center| / width) / (2 width) for each feature.
class Laplace : public lacuna::Density {
public:
  Laplace(std::vector<double> center, std::vector<double> width)
      : Density({LaplaceOptions::family, static_cast<Index>(center.size()), {}}), center_(std::move(center)),
        width_(std::move(width)) {}

  void log_density(lacuna::MatrixView rows, std::span<double> out) const override {
    for (Index i = 0; i < rows.n_rows; ++i) {
      double sum = 0.0;
      for (std::size_t j = 0; j < center_.size(); ++j)
        sum -= std::abs(rows.row(i)[j] - center_[j]) / width_[j] + std::log(2.0 * width_[j]);
      out[static_cast<std::size_t>(i)] = sum;
    }
  }

  void sample(lacuna::RandomStream& random, std::span<double> out) const override {
    for (std::size_t j = 0; j < center_.size(); ++j) {
      const double size = -width_[j] * std::log(random.uniform());
      out[j] = center_[j] + (random.uniform() < 0.5 ? -size : size);
    }
  }

  static std::shared_ptr<const lacuna::Density>
  load(const lacuna::Archive& archive, const std::string& prefix, const lacuna::DensityFacts& facts) {
    return std::make_shared<Laplace>(archive.vector(prefix + "center", facts.n_features),
                                     archive.vector(prefix + "width", facts.n_features));
  }

private:
  void save_parts(lacuna::Archive& archive, const std::string& prefix) const override {
    archive.put(prefix + "center", center_);
    archive.put(prefix + "width", width_);
  }

  std::vector<double> center_;
  std::vector<double> width_;
};

/// Maximum likelihood: the weighted median, and the mean distance from it.
class LaplaceFamily : public lacuna::DensityFamily {
public:
  explicit LaplaceFamily(const LaplaceOptions& options) : options_(options) {}

  std::shared_ptr<const lacuna::Density> fit(const lacuna::WeightedRows& rows,
                                             const lacuna::DensityFitContext& context) const override {
    std::vector<double> center;
    std::vector<double> width;
    for (Index j = 0; j < rows.n_features(); ++j) {
      center.push_back(median(rows, j));
      double total = options_.least_width; // so that a single row has a width as well
      double distance = total * (context.reference_variance.empty()
                                     ? 1.0
                                     : std::sqrt(context.reference_variance[static_cast<std::size_t>(j)]));
      for (Index i = 0; i < rows.size(); ++i) {
        total += rows.weight(i);
        distance += rows.weight(i) * std::abs(rows.row(i)[j] - center.back());
      }
      width.push_back(distance / total);
    }
    return std::make_shared<Laplace>(std::move(center), std::move(width));
  }

private:
  static double median(const lacuna::WeightedRows& rows, Index j) {
    std::vector<std::pair<double, double>> values;
    double total = 0.0;
    for (Index i = 0; i < rows.size(); ++i) {
      values.emplace_back(rows.row(i)[j], rows.weight(i));
      total += rows.weight(i);
    }
    std::sort(values.begin(), values.end());
    double below = 0.0;
    for (const auto& [value, weight] : values)
      if ((below += weight) >= 0.5 * total) return value;
    return values.back().first;
  }

  LaplaceOptions options_;
};

/// Two clouds with labels on a few rows of each.
lacuna::Dataset make_data() {
  constexpr Index n_rows = 400;
  lacuna::Dataset data;
  data.features = lacuna::Matrix(n_rows, 2);
  data.feature_names = {"x", "y"};
  data.class_names = {"left", "right"};
  for (Index i = 0; i < n_rows; ++i) {
    lacuna::RandomStream random(2, lacuna::RandomPurpose::simulation, static_cast<std::uint64_t>(i));
    const double side = i % 2 == 0 ? -3.0 : 3.0;
    data.features(i, 0) = side + random.normal();
    data.features(i, 1) = random.normal();
    data.labels.push_back(i % 5 == 0 ? static_cast<int>(i % 2) : lacuna::missing_label);
  }
  return data;
}

} // namespace

int main() {
  lacuna::register_density_family(lacuna::density_family<LaplaceOptions>(
      [](const LaplaceOptions& options) { return std::make_shared<LaplaceFamily>(options); }, Laplace::load));

  lacuna::FitOptions options;
  options.density = LaplaceOptions{.least_width = 1e-6};
  const lacuna::Dataset data = make_data();
  const lacuna::Model model = lacuna::fit(data, options);

  // A saved model finds the family by its name, and its record tells the option.
  const std::vector<char> file = lacuna::encode_model(model);
  const lacuna::Model loaded = lacuna::decode_model({file.data(), file.size()}, "the model");
  std::cout << "least_width " << loaded.record.option("least_width") << '\n';

  const lacuna::Matrix questions(2, 2, {-3.0, 0.0, 3.0, 0.0});
  const lacuna::Scores scores = loaded.score(questions.view());
  for (std::size_t i = 0; i < 2; ++i)
    std::cout << data.class_names[static_cast<std::size_t>(scores.prediction[i])]
              << ", wrong with probability " << scores.error_probability[i] << '\n';
  const lacuna::Scores before = model.score(questions.view());
  const bool as_promised = scores.prediction[0] == 0 && scores.prediction[1] == 1 &&
                           scores.error_probability[0] < 0.05 && scores.error_probability[1] < 0.05 &&
                           scores.error_probability == before.error_probability;
  return as_promised ? 0 : 1;
}
