// Fits the default classifier to an NPY table from C++ and prints what it says about every row, for the test
// that compares C++ with Python and the command line: classify_probe X.npy LABELS.npy
#include <cstdio>
#include <exception>
#include <string>

#include "data/array.hpp"
#include "lacuna/learning/learner.hpp"

namespace {

void run(const std::string& features_path, const std::string& labels_path) {
  lacuna::Dataset data;
  data.features = lacuna::read_array(features_path);
  const lacuna::Matrix labels = lacuna::read_array(labels_path);
  for (const double label : labels.values()) data.labels.push_back(static_cast<int>(label));
  data.class_names = {"0", "1"};
  const lacuna::FitResult fit = lacuna::fit_classifier(data, lacuna::LearningOptions{});
  const lacuna::Scores scores = fit.classifier.score(data.features.view(), 0);
  // %a: every bit of a number.
  for (std::size_t i = 0; i < scores.prediction.size(); ++i)
    std::printf("%d %a %d %a\n", scores.prediction[i], scores.error_probability[i],
                scores.informative[i] != 0, scores.log_ratio[i]);
}

} // namespace

int main(int argc, char** argv) {
  if (argc != 3) return 64;
  try {
    run(argv[1], argv[2]);
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
