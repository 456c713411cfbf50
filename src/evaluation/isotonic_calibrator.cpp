#include "evaluation/calibrator_fits.hpp"
#include "lacuna/evaluation/diagnostics.hpp"

namespace lacuna {

namespace {

class IsotonicCalibrator : public ErrorCalibrator {
public:
  explicit IsotonicCalibrator(std::vector<IsotonicBlock> blocks) : blocks_(std::move(blocks)) {}
  double calibrated(double error_probability) const override {
    return isotonic_value(blocks_, error_probability);
  }
  std::vector<std::pair<std::string, double>> parameters() const override {
    return {{"n_blocks", static_cast<double>(blocks_.size())}};
  }

private:
  std::vector<IsotonicBlock> blocks_;
};

} // namespace

std::unique_ptr<ErrorCalibrator> fit_isotonic(std::span<const ErrorGroup> groups) {
  std::vector<IsotonicPoint> points;
  points.reserve(groups.size());
  for (const ErrorGroup& group : groups) {
    const auto n = static_cast<double>(group.n);
    points.push_back({group.error_probability, static_cast<double>(group.n_errors) / n, n});
  }
  return std::make_unique<IsotonicCalibrator>(isotonic_fit(points));
}

} // namespace lacuna
