#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lacuna::cli {

/// When a stage of work will end, as long as that is known well: estimates by the speed of the last half and
/// of the last quarter of what is done have to agree for a while. The end that they agree on stands until
/// they leave it; then nothing is said until they agree again. So what is left counts down and never jumps.
class TimeLeft {
public:
  /// Seconds, from any moment on; another stage, or a share that falls, begins anew.
  void see(std::string_view stage, double share, double now);
  /// Seconds until the stage ends; nothing where that is not known.
  std::optional<double> at(double now) const;

private:
  struct Step {
    double share = 0.0;
    double time = 0.0;
  };
  void begin(std::string_view stage, const Step& step);
  double end_by_last(double part) const;

  std::string stage_;
  std::vector<Step> steps_; ///< some of those seen: the first, the last, and enough between them
  double longest_pause_ = 0.0;
  double end_ = 0.0;
  double agreed_since_ = 0.0;
  bool is_known_ = false;
};

/// "40 s", "3 min", "2 h": the coarser the longer.
std::string duration_text(double seconds);

} // namespace lacuna::cli
