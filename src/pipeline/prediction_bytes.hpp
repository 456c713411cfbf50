#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "lacuna/learning/classifier.hpp"
#include "lacuna/pipeline/predict.hpp"
#include "pipeline/promises.hpp"

namespace lacuna {

/// What is to be written down about some rows; borrowed.
struct PredictionRows {
  const Scores& scores;
  const Promises& promises;
  std::span<const std::string> kept; ///< of each row the id, where there is one, and the columns to keep
};

/// Scores as the bytes of a file of predictions. Safe to use from many threads at once.
class PredictionBytes {
public:
  virtual ~PredictionBytes() = default;
  /// What stands before the first row.
  virtual std::string beginning() const = 0;
  /// The rows in place of what `bytes` holds, whose memory is used again.
  virtual void write_rows(const PredictionRows& rows, std::vector<char>& bytes) const = 0;
};

/// Throws Error(usage) for columns that the format cannot hold, or that have a name of the predictions' own.
std::unique_ptr<PredictionBytes> prediction_bytes(const std::vector<std::string>& classes,
                                                  const PredictOptions& options);

} // namespace lacuna
