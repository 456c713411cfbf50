#pragma once

#include <memory>
#include <string>
#include <vector>

#include "lacuna/learning/classifier.hpp"
#include "lacuna/pipeline/predict.hpp"
#include "pipeline/promises.hpp"

namespace lacuna {

/// Scores as the bytes of a file of predictions. Safe to use from many threads at once.
class PredictionBytes {
public:
  virtual ~PredictionBytes() = default;
  /// What stands before the first row.
  virtual std::string beginning() const = 0;
  /// The rows of `scores`, in place of what `bytes` holds, whose memory is used again.
  virtual void write_rows(const Scores& scores, const Promises& promises, std::vector<char>& bytes) const = 0;
};

std::unique_ptr<PredictionBytes> prediction_bytes(const std::vector<std::string>& classes,
                                                  const PredictOptions& options);

} // namespace lacuna
