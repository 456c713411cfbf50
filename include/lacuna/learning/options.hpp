#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>

#include "lacuna/conditional/conditional.hpp"
#include "lacuna/core/device.hpp"
#include "lacuna/core/matrix.hpp"
#include "lacuna/core/options.hpp"
#include "lacuna/density/families.hpp"

namespace LACUNA_API lacuna {

/// mar is Algorithm 1; the others are what it is compared with.
enum class Method { supervised, mcar_sampling, mcar_em, mar };
constexpr auto choice_names(Method) {
  return std::array{ChoiceName{Method::supervised, "supervised"},
                    ChoiceName{Method::mcar_sampling, "mcar-sampling"},
                    ChoiceName{Method::mcar_em, "mcar-em"}, ChoiceName{Method::mar, "mar"}};
}

enum class PosteriorForm { joint, product };
constexpr auto choice_names(PosteriorForm) {
  return std::array{ChoiceName{PosteriorForm::joint, "joint"}, ChoiceName{PosteriorForm::product, "product"}};
}

/// p(y|x) where labels speak: by the class densities alone, as in the paper, or by a calibrated stack of
/// them, logistic regression, boosted trees, a forest and the class prior.
enum class ConditionalForm { densities, stack };
constexpr auto choice_names(ConditionalForm) {
  return std::array{ChoiceName{ConditionalForm::densities, "densities"},
                    ChoiceName{ConditionalForm::stack, "stack"}};
}

/// What tells the informative region: class densities, a classifier of labeled against unlabeled rows, or
/// what of the two does that better on rows it has not seen.
enum class Region { densities, classifier, automatic };
constexpr auto choice_names(Region) {
  return std::array{ChoiceName{Region::densities, "densities"}, ChoiceName{Region::classifier, "classifier"},
                    ChoiceName{Region::automatic, "auto"}};
}

/// How far p(y|x) is trusted where labels say nothing: not at all, as in the paper, as far as simulated gaps
/// justify, or as far as the worst kind of them does.
enum class TrustForm { none, regions, worst };
constexpr auto choice_names(TrustForm) {
  return std::array{ChoiceName{TrustForm::none, "none"}, ChoiceName{TrustForm::regions, "regions"},
                    ChoiceName{TrustForm::worst, "worst"}};
}

/// What is predicted where labels say nothing: the class that the labeled rows would guess, or one by lot.
enum class Ignorant { guess, random };
constexpr auto choice_names(Ignorant) {
  return std::array{ChoiceName{Ignorant::guess, "guess"}, ChoiceName{Ignorant::random, "random"}};
}

/// What may lie where no training row does: a density with the heaviest tails, the same for all classes.
enum class BackgroundForm { cauchy, none };
constexpr auto choice_names(BackgroundForm) {
  return std::array{ChoiceName{BackgroundForm::cauchy, "cauchy"}, ChoiceName{BackgroundForm::none, "none"}};
}

/// Whether densities see difficult columns in another shape (docs/math/columns.md), or all as they are.
enum class ColumnShaping { automatic, plain };
constexpr auto choice_names(ColumnShaping) {
  return std::array{ChoiceName{ColumnShaping::automatic, "auto"}, ChoiceName{ColumnShaping::plain, "plain"}};
}

/// A threshold chosen from the labeled rows: at most a share alpha of rows like them is called uninformative.
struct AutoKappa {
  double alpha = 0.05;
};
/// The threshold of the informative region: "auto:0.05", or a number.
using Kappa = std::variant<AutoKappa, double>;

/// Missing labels are filled with their probabilities; nothing is drawn.
struct SoftLabels {};
/// How missing labels in the informative region are filled: so many random draws, averaged, or softly.
using Draws = std::variant<Index, SoftLabels>;

/// Everything that decides a fit, beside the data and the maps before the densities.
struct LearningOptions {
  Method method = Method::mar;
  ConditionalForm conditional = ConditionalForm::stack;
  Region region = Region::automatic;    ///< counts for a stack only
  TrustForm trust = TrustForm::regions; ///< the same
  Kappa kappa = AutoKappa{};
  PosteriorForm posterior = PosteriorForm::joint; ///< joint is exact; product replicates the paper
  Draws draws = 5;
  Ignorant ignorant = Ignorant::guess;
  BackgroundForm background = BackgroundForm::cauchy;
  ColumnShaping column_shapes = ColumnShaping::automatic;
  std::optional<double> shrinkage = {}; ///< of class densities towards one another; empty: chosen
  Index folds = 5;
  Index max_em_iterations = 500;
  double em_tolerance = 1e-4;
  DensityOptions density;
  std::uint64_t seed = 0;
  int threads = 0;                     ///< 0: all cores. Never changes a result
  Device device = Device::auto_detect; ///< of maps that are trained, and of mixtures of many rows
  /// The caller's own, which join a stack's usual members; a model with them can be saved, and loaded where
  /// register_conditional was called for what they fit.
  ConditionalMembers members = {};

  /// All but the density, whose options are its family's, and the members, which are the caller's.
  static const OptionTable<LearningOptions>& table();
  void check_together(OptionChecks& checks) const;
};

/// What the authors' scripts evaluate: five components with a prior from the class's own rows, expected-log
/// density, one draw, product, kappa 0, no stack, no background, no shrinkage, columns as they are. Another
/// density than vb-gmm stays as it is.
void apply_paper_preset(LearningOptions& options);

} // namespace lacuna
