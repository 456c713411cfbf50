#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "lacuna/core/matrix.hpp"
#include "lacuna/core/observer.hpp"
#include "lacuna/core/options.hpp"

namespace lacuna {

/// How labels of a fully labeled set go missing, for experiments in which the truth is known.
enum class LabelProtocol {
  mcar,       ///< by lot
  strict_mar, ///< by x alone: rarely in the region where most neighbours are of a rare class
  authors,    ///< as in the paper's scripts: never for a rare class, the others with replacement
  mnar,       ///< by y: rarely for a row of a rare class. Nothing can learn from such data alone
};

constexpr auto choice_names(LabelProtocol) {
  return std::array{ChoiceName{LabelProtocol::mcar, "mcar"},
                    ChoiceName{LabelProtocol::strict_mar, "strict-mar"},
                    ChoiceName{LabelProtocol::authors, "authors"}, ChoiceName{LabelProtocol::mnar, "mnar"}};
}

struct MissingnessOptions {
  LabelProtocol protocol = LabelProtocol::strict_mar;
  Index labeled = 1000;          ///< labels that stay
  std::vector<int> rare_classes; ///< class numbers; mcar needs none
  double rare_weight = 0.003;    ///< chance of a rare row to be drawn next, relative to any other row
  Index neighbours = 50;         ///< voters on whether a row lies in the rare region
  std::uint64_t seed = 0;
  int threads = 0; ///< 0: all cores. Never changes a result

  static const OptionTable<MissingnessOptions>& table();
  void check_together(OptionChecks& checks) const { require_rare(protocol, checks, !rare_classes.empty()); }
  /// All protocols but mcar need a rare class.
  static void require_rare(LabelProtocol protocol, OptionChecks& checks, bool has_rare);
};

/// For each query the share of rare classes among its nearest training rows, by Euclidean distance; of rows
/// equally far the one with the lower number is nearer.
std::vector<double> rare_share(MatrixView train, std::span<const int> labels, MatrixView queries,
                               const MissingnessOptions& options, Observer& observer = silent_observer());

/// The same for the training rows themselves. None votes on its own stratum: with its own label among the
/// votes, whether a row can be labeled would depend on y, not on x alone.
std::vector<double> rare_share(MatrixView train, std::span<const int> labels,
                               const MissingnessOptions& options, Observer& observer = silent_observer());

/// The rare region: more than half of the neighbours are of a rare class.
inline bool is_rare_share(double share) {
  return share > 0.5;
}

/// How often each row was drawn to be labeled: 0 hides its label, 2 means the row counts twice.
/// `in_rare_region` says where rows lie; only strict-mar looks at it. Throws Error(usage) when there are
/// fewer rows to draw from than labels to keep, or no rare class for a protocol that needs one.
std::vector<Index> draw_labeled(std::span<const int> labels, std::span<const char> in_rare_region,
                                const MissingnessOptions& options);

} // namespace lacuna
