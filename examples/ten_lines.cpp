// From a matrix in memory to a saved model that is loaded and asked, in ten lines.
#include <iostream>

#include "lacuna/lacuna.hpp"

int main() {
  lacuna::Dataset data;
  data.features = lacuna::Matrix(6, 1, {0.1, 0.4, 0.2, 3.1, 3.3, 3.0}); // row by row
  data.labels = {0, 0, lacuna::missing_label, 1, 1, lacuna::missing_label};
  data.class_names = {"low", "high"};
  const lacuna::Model model = lacuna::fit(data);
  lacuna::save_model(model, "ten_lines.lacuna", true);
  const lacuna::Model loaded = lacuna::load_model("ten_lines.lacuna");
  const lacuna::Matrix questions(2, 1, {0.3, 3.2});
  const lacuna::Scores scores = loaded.score(questions.view());
  std::cout << scores.prediction[1] << ' ' << scores.error_probability[1] << '\n';
  return scores.prediction[0] == 0 && scores.prediction[1] == 1 ? 0 : 1;
}
