#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "lacuna/conditional/conditional.hpp"
#include "lacuna/learning/classifier.hpp"

namespace lacuna {

/// p(y|x) by class densities: q(y) q(x|y) of one or several class models, averaged before they are compared.
class DensityConditional : public Conditional {
public:
  DensityConditional(Index n_features, std::vector<ClassModel> models);

  void log_probability(MatrixView rows, std::span<double> out) const override;

  const std::vector<ClassModel>& models() const { return models_; }

  static std::shared_ptr<const Conditional> load(const Archive& archive, const std::string& prefix,
                                                 const ConditionalFacts& facts);

private:
  void save_parts(Archive& archive, const std::string& prefix) const override;

  std::vector<ClassModel> models_;
};

/// What messages and model files call class densities among the members of a stack.
inline constexpr const char* densities_member = "densities";

/// Makes load_conditional know it: before a classifier is read, and when one is made.
void register_density_conditional();

} // namespace lacuna
