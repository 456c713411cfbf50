// The method on feature vectors of your own: fit on rows of which some are labeled, save the model, load it
// and ask for error probabilities. Build it in a project of your own with find_package(lacuna), as
// tests/consumer does.
#include <cmath>
#include <cstdint>
#include <iostream>

#include "lacuna/lacuna.hpp"

namespace {

/// Three clouds on a line: "left" at -6, "right" at +6, and one at 0 that nobody ever labels.
lacuna::Dataset make_data() {
  constexpr lacuna::Index n_rows = 600;
  lacuna::Dataset data;
  data.features = lacuna::Matrix(n_rows, 1);
  data.class_names = {"left", "right"};
  for (lacuna::Index i = 0; i < n_rows; ++i) {
    lacuna::RandomStream random(1, lacuna::RandomPurpose::simulation, static_cast<std::uint64_t>(i));
    const auto cloud = i % 3;
    const bool labeled = cloud != 1 && i % 4 == 0;
    data.features(i, 0) = 6.0 * static_cast<double>(cloud - 1) + random.normal();
    data.labels.push_back(labeled ? (cloud == 0 ? 0 : 1) : lacuna::missing_label);
  }
  return data;
}

} // namespace

int main() {
  const lacuna::Dataset data = make_data();
  const lacuna::Model model = lacuna::fit(data);
  lacuna::save_model(model, "clouds.lacuna", true);
  const lacuna::FitSummary& summary = model.record.summary;
  std::cout << summary.n_labeled << " rows labeled, " << summary.n_unlabeled << " not; "
            << 100.0 * summary.informative_share << " % of those are like the labeled ones\n";

  const lacuna::Matrix questions(3, 1, {-6.0, 0.0, 6.0});
  const lacuna::Scores scores = lacuna::load_model("clouds.lacuna").score(questions.view());
  for (std::size_t i = 0; i < 3; ++i)
    std::cout << "x = " << questions(static_cast<lacuna::Index>(i), 0) << ": "
              << data.class_names[static_cast<std::size_t>(scores.prediction[i])]
              << ", wrong with probability " << scores.error_probability[i] << '\n';

  // Sure where labels were seen, and openly ignorant where they never were.
  const bool as_promised = scores.prediction[0] == 0 && scores.error_probability[0] < 0.05 &&
                           std::abs(scores.error_probability[1] - 0.5) < 0.05 && scores.prediction[2] == 1 &&
                           scores.error_probability[2] < 0.05;
  return as_promised ? 0 : 1;
}
