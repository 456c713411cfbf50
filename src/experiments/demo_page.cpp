#include "experiments/demo_page.hpp"

#include <limits>

namespace lacuna {

ToySubject::ToySubject(std::string name, std::string title, const Toy& toy, int threads)
    : toy_(toy), train_(PageRows::Kind::train, toy.train.n_features(), toy.train.n_features()),
      test_(PageRows::Kind::test, toy.test.n_features(), toy.test.n_features()) {
  input_.name = std::move(name);
  input_.title = std::move(title);
  input_.class_names = toy.train.class_names;
  input_.column_names = input_.feature_names = toy.train.feature_names;
  input_.threads = threads;
}

void ToySubject::add(Method method, const FitResult& fit) {
  static const std::string strata[] = {"labeled", "never labeled"};
  const int threads = input_.threads;
  const Scores scores = fit.classifier.score(toy_.test.features.view(), threads);
  Evaluator evaluator(fit.classifier.n_classes());
  for (Index i = 0; i < toy_.test.n_rows(); ++i) {
    const auto at = static_cast<std::size_t>(i);
    evaluator.add(toy_.test.labels[at], scores.prediction[at], scores.error_probability[at],
                  {scores.posterior.row(i), static_cast<std::size_t>(scores.posterior.n_cols())},
                  &strata[toy_.never_labeled[at] ? 1 : 0]);
  }
  if (method == Method::mar) {
    for (Index i = 0; i < toy_.test.n_rows(); ++i)
      test_.add(toy_.test.features.row(i), toy_.test.features.row(i),
                toy_.test.labels[static_cast<std::size_t>(i)], scores.log_ratio[static_cast<std::size_t>(i)]);
    const Scores of_train = fit.classifier.score(toy_.train.features.view(), threads);
    for (Index i = 0; i < toy_.train.n_rows(); ++i) {
      const auto at = static_cast<std::size_t>(i);
      const bool is_labeled = toy_.train.is_labeled(i);
      train_.add(toy_.train.features.row(i), toy_.train.features.row(i), toy_.train.labels[at],
                 is_labeled ? std::numeric_limits<double>::quiet_NaN() : of_train.log_ratio[at]);
    }
    input_.fit = fit.summary;
  }
  PageMethod result{to_string(method),         "",      evaluator.evaluation(),
                    evaluator.diagnostics({}), nullptr, nullptr};
  result.score = [classifier = fit.classifier, threads](MatrixView rows) {
    return classifier.score(rows, threads);
  };
  result.scored = &scored_.emplace_back(std::move(evaluator).rows());
  input_.methods.push_back(std::move(result));
}

ReportSubject ToySubject::make() {
  input_.test = &test_;
  input_.train = &train_;
  return make_subject(input_);
}

std::string demo_page(std::vector<ReportSubject> subjects, std::uint64_t seed) {
  ReportPage page;
  page.title = "lacuna on its built-in toys";
  page.subtitle =
      "Four methods with the same densities, on data where the labels never reached a part of the rows. "
      "Only mar, lacuna's method, says that it does not know there.";
  page.subjects = std::move(subjects);
  page.options = {{"seed", std::to_string(seed)}, {"settings", "the defaults of lacuna fit"}};
  page.versions = page_versions();
  return report_html(page);
}

} // namespace lacuna
