#pragma once

#include <deque>
#include <string>
#include <vector>

#include "experiments/toys.hpp"
#include "lacuna/learning/learner.hpp"
#include "report/page.hpp"
#include "report/page_subject.hpp"

namespace lacuna {

/// Gathers what a page shows of one toy, method by method.
class ToySubject {
public:
  ToySubject(std::string name, std::string title, const Toy& toy, int threads);
  void add(Method method, const FitResult& fit);
  ReportSubject make();

private:
  const Toy& toy_;
  PageInput input_;
  PageRows train_;
  PageRows test_;
  std::deque<ScoredRows> scored_; ///< a deque, because the methods point into it
};

/// The demo's page.
std::string demo_page(std::vector<ReportSubject> subjects, std::uint64_t seed);

} // namespace lacuna
