#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "lacuna/core/archive.hpp"
#include "lacuna/core/matrix.hpp"
#include "lacuna/core/observer.hpp"
#include "lacuna/data/dataset.hpp"

namespace LACUNA_API lacuna {

/// No class is given less: logs stay finite, and a class without a labeled row gets just this.
inline constexpr double least_probability = 1e-12;

/// What every fitted p(y|x) says about itself.
struct ConditionalFacts {
  std::string family; ///< its name, as load_conditional knows it
  Index n_features = 0;
  Index n_classes = 0;

  void save(Archive& archive, const std::string& prefix) const;
  /// Throws Error(data).
  static ConditionalFacts load(const Archive& archive, const std::string& prefix);
};

/// A fitted p(y|x). Immutable and safe to use from many threads at once.
class Conditional {
public:
  virtual ~Conditional() = default;
  const std::string& family() const { return facts_.family; }
  Index n_features() const { return facts_.n_features; }
  Index n_classes() const { return facts_.n_classes; }
  /// out[i * n_classes + y] = log p(y | row i): finite, and their exponentials sum to one in every row. NaN
  /// is a missing value.
  virtual void log_probability(MatrixView rows, std::span<double> out) const = 0;
  void save(Archive& archive, const std::string& prefix) const;

protected:
  explicit Conditional(ConditionalFacts facts) : facts_(std::move(facts)) {}

private:
  /// Writes what the family needs beside the facts to load it again.
  virtual void save_parts(Archive& archive, const std::string& prefix) const = 0;

  ConditionalFacts facts_;
};

/// What a fit may know beside its rows.
struct ConditionalFitContext {
  std::uint64_t seed = 0;
  int threads = 1;
  Observer* observer = nullptr; ///< asked for cancellation; may be null
};

/// A family of classifiers with its options: knows how to fit. The user's own classifier enters the method
/// here.
class ConditionalFamily {
public:
  virtual ~ConditionalFamily() = default;
  /// What messages call it: "logistic".
  virtual std::string name() const = 0;
  /// Fits p(y|x) to the labeled rows of positive weight, of which there is at least one; a family that learns
  /// from rows without a label as well finds them in `data` too. Weight 2 means the row stands there twice.
  /// To hold rows out is to hide their labels, so that nobody copies the features. NaN is a missing value,
  /// `data.levels` tells categories from numbers. A class without a labeled row gets least_probability.
  virtual std::shared_ptr<const Conditional> fit(const DatasetView& data,
                                                 const ConditionalFitContext& context) const = 0;
};

/// What a stack is made of.
using ConditionalMembers = std::vector<std::shared_ptr<const ConditionalFamily>>;

/// Makes a p(y|x) of facts that were read already, and of what its save_parts wrote under `prefix`.
using ConditionalLoader = std::function<std::shared_ptr<const Conditional>(
    const Archive& archive, const std::string& prefix, ConditionalFacts facts)>;

/// How what a family fits is read back.
struct ConditionalEntry {
  std::string name; ///< the family of the facts
  ConditionalLoader load;
};

/// Adds a family of the user's own: from now on load_conditional knows it. Throws Error(usage) when the name
/// is empty or taken, or when it cannot be loaded. Safe to call from several threads.
void register_conditional(ConditionalEntry entry);

/// Whether load_conditional reads what that family fitted.
bool can_load_conditional(const std::string& family);

/// Restores what Conditional::save wrote, by the name of the family. Throws Error(data).
std::shared_ptr<const Conditional> load_conditional(const Archive& archive, const std::string& prefix);

} // namespace lacuna
