#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "lacuna/core/observer.hpp"
#include "lacuna/core/options.hpp"
#include "lacuna/evaluation/reliability.hpp"
#include "lacuna/learning/options.hpp"

namespace lacuna {

class AtomicFile;

/// The built-in toys, all methods, side by side.
struct DemoRequest {
  std::string out = "lacuna-demo"; ///< where data and pictures go; made when it does not exist
  std::uint64_t seed = 0;
  int threads = 0;
  bool force = false;         ///< replace files that differ; equal ones may always be there
  bool wants_report = false;  ///< make the HTML page as well
  AtomicFile* page = nullptr; ///< where the page goes, together with the other files

  static const OptionTable<DemoRequest>& table();
};

/// One method on the test rows of one toy, apart by whether labels are ever seen there.
struct DemoResult {
  std::string toy;
  Method method = Method::mar;
  Metrics labeled;
  Metrics never_labeled;
};

struct DemoOutcome {
  std::vector<DemoResult> results;
  std::vector<std::string> files; ///< what was written, in order: per toy the two tables and the picture
  std::string report;             ///< the HTML page, when it was asked for
};

/// The files that a demo writes: all of them, or none when one cannot be written.
std::vector<std::string> demo_files(const DemoRequest& request);

DemoOutcome run_demo(const DemoRequest& request, Observer& observer);

/// What the numbers show, one sentence per toy. Follows the numbers: it says so when mar did worse.
std::string demo_verdict(const DemoOutcome& outcome);

} // namespace lacuna
