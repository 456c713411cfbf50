#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "experiments/missingness.hpp"
#include "lacuna/core/device.hpp"
#include "lacuna/core/observer.hpp"
#include "lacuna/core/options.hpp"
#include "lacuna/features/vae_options.hpp"

namespace lacuna {

class AtomicFile;

/// The paper's experiments: all methods, under the paper's settings and our own, on the same data and draws.
struct ReproduceRequest {
  std::string experiment;                             ///< "toy", "mnist" or "fashion-mnist"
  LabelProtocol protocol = LabelProtocol::strict_mar; ///< strict_mar or authors
  Index repeats = 1;                                  ///< draws of labels per VAE (toy: of the data)
  Index vae_seeds = 1;                                ///< VAEs, with the seeds 0, 1, ...; a toy has none
  std::string data = "data";                          ///< holds mnist/ and fashion-mnist/ as scripts/get-data
  std::string out;                                    ///< results, figures' data and cache; made when missing
  Device device = Device::auto_detect;
  std::uint64_t seed = 0;
  int threads = 0;
  bool wants_report = false;  ///< make the HTML page as well
  AtomicFile* page = nullptr; ///< where the page goes, together with the other files

  static const OptionTable<ReproduceRequest>& table();
  void check_together(OptionChecks& checks) const;
};

/// Mean and standard deviation of one number over the runs of a method.
struct Spread {
  double mean = 0.0;
  double deviation = 0.0; ///< 0 for a single run, and where the mean is not finite
};

/// One method under one preset, over all VAEs and repeats.
struct ReproduceSummary {
  std::string toy; ///< empty for images
  std::string preset;
  std::string method;
  Index n_runs = 0;
  Spread error_rate;
  Spread ece;
  Spread brier_error;
  Spread nll;
  Spread rare_error_rate;
  Spread rare_overconfidence;
  Spread rest_error_rate;
};

struct ReproduceOutcome {
  std::vector<ReproduceSummary> summaries;
  Index n_runs = 0;
  Index n_reused = 0; ///< of these, found finished in the folder
  std::string metrics_path;
  std::string report; ///< the HTML page, when it was asked for
};

/// The folders inside `out` that hold files of an experiment and nothing else.
std::vector<std::string> reproduce_folders(const ReproduceRequest& request);
/// The images that an experiment reads, as far as they are there.
std::vector<std::string> reproduce_inputs(const ReproduceRequest& request);

/// Runs what is not yet there: a folder keeps finished runs and features, so that work goes on where it was
/// interrupted. Throws Error(cannot_write) for a folder that holds another experiment.
ReproduceOutcome reproduce(const ReproduceRequest& request, Observer& observer);

} // namespace lacuna
