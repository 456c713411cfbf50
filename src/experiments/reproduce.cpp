#include "experiments/reproduce.hpp"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <mutex>
#include <optional>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/parallel.hpp"
#include "experiments/reproduce_page.hpp"
#include "experiments/reproduce_results.hpp"
#include "experiments/reproduce_run.hpp"
#include "lacuna/core/errors.hpp"
#include "lacuna/core/random.hpp"
#include "lacuna/core/version.hpp"

namespace lacuna {

namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

void make_folder(const fs::path& path) {
  std::error_code problem;
  fs::create_directories(path, problem);
  if (!fs::is_directory(path))
    throw Error(ErrorKind::cannot_write,
                "cannot make the folder '" + path.string() + "'" + (problem ? ": " + problem.message() : ""));
}

std::optional<std::string> content_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return std::nullopt;
  return std::string(std::istreambuf_iterator<char>(file), {});
}

/// Everything that decides the runs of a folder, beside their number.
Json experiment_record(const ReproduceRequest& request) {
  Json record{{"experiment", request.experiment},
              {"protocol", to_string(request.protocol)},
              {"seed", request.seed},
              {"version", version()}};
  if (is_toy(request)) return record;
  const VaeOptions vae = image_setup(request).vae;
  record["vae"] = {{"latent", vae.n_latent},
                   {"hidden", vae.vae_hidden},
                   {"decoder-hidden", vae.vae_decoder_hidden},
                   {"activation", to_string(vae.vae_activation)},
                   {"likelihood", to_string(vae.vae_likelihood)},
                   {"learning-rate", vae.vae_learning_rate},
                   {"batch-size", vae.vae_batch},
                   {"epochs", vae.vae_epochs}};
  record["data"] = image_fingerprint(request);
  return record;
}

/// A folder holds one experiment, so that its features and finished runs can be trusted.
void claim_folder(const ReproduceRequest& request) {
  const std::string record = experiment_record(request).dump(2) + "\n";
  const fs::path folder(request.directory);
  const std::optional<std::string> found = content_of(folder / "experiment.json");
  if (found && *found != record)
    throw Error(ErrorKind::cannot_write,
                "'" + request.directory +
                    "' holds another experiment: other data, protocol, seed or version (see experiment.json "
                    "there); choose another folder with --out, or remove that one");
  for (const char* part : {"runs", "figures"}) make_folder(folder / part);
  if (!found) replace_file((folder / "experiment.json").string(), record);
}

/// Many fits at once: they may be cancelled, and their progress and warnings would drown each other.
class CancelOnly : public Observer {
public:
  explicit CancelOnly(const Observer& observer) : observer_(observer) {}
  bool cancelled() const override { return observer_.cancelled(); }

private:
  const Observer& observer_;
};

class Reproduction {
public:
  Reproduction(const ReproduceRequest& request, Observer& observer)
      : request_(request), observer_(observer), folder_(request.directory) {}

  ReproduceOutcome run() {
    claim_folder(request_);
    if (is_toy(request_)) {
      for (const char* toy : {"quadrants", "coin"}) run_subject(toy, 0, [&] { return toy_subject(toy); });
    } else {
      for (Index seed = 0; seed < request_.n_vae_seeds; ++seed)
        run_subject("", seed, [&] { return image_subject(request_, seed, observer_); });
    }
    outcome_.n_runs = static_cast<Index>(runs_.size());
    outcome_.summaries = summarize(runs_);
    outcome_.metrics_path = (folder_ / "metrics.json").string();
    replace_file((folder_ / "figures" / "reliability.csv").string(), reliability_text(runs_));
    replace_file(outcome_.metrics_path, metrics_text(runs_));
    if (request_.wants_report) outcome_.report = reproduce_page(request_, outcome_);
    return std::move(outcome_);
  }

private:
  /// Runs of one repeat and preset: they share their initial models.
  struct Task {
    Index repeat = 0;
    std::vector<Contender> contenders; ///< those that are not done
    std::vector<std::size_t> slots;    ///< of runs_, one per contender
  };

  /// "quadrants-", or nothing for images.
  static std::string prefix(const std::string& toy) { return toy.empty() ? "" : toy + "-"; }

  fs::path run_path(const std::string& toy, Index vae_seed, Index repeat, const Contender& contender) const {
    return folder_ / "runs" /
           fmt::format("{}vae{}-repeat{}-{}-{}.json", prefix(toy), vae_seed, repeat, contender.preset,
                       to_string(contender.method));
  }

  /// Takes finished runs from the folder and does the others; the subject itself is made only for these.
  template <typename MakeSubject>
  void run_subject(const std::string& toy, Index vae_seed, MakeSubject make_subject) {
    std::vector<Task> tasks;
    for (Index repeat = 0; repeat < request_.n_repeats; ++repeat) {
      for (const Contender& contender : contenders()) {
        const std::optional<std::string> found = content_of(run_path(toy, vae_seed, repeat, contender));
        const bool is_done = found && Json::accept(*found);
        runs_.push_back(is_done ? *found : std::string());
        if (is_done) {
          ++outcome_.n_reused;
          continue;
        }
        const bool goes_on = !tasks.empty() && tasks.back().repeat == repeat &&
                             tasks.back().contenders.front().preset == contender.preset;
        if (!goes_on) tasks.push_back({repeat, {}, {}});
        tasks.back().contenders.push_back(contender);
        tasks.back().slots.push_back(runs_.size() - 1);
      }
    }
    if (tasks.empty()) return;
    const Subject subject = make_subject();
    n_done_ = 0;
    n_tasks_ = tasks.size();
    observer_.progress("runs", 0.0, static_cast<double>(n_tasks_));
    // Many tasks go side by side, each on one thread; a few take turns, each on all of them.
    const bool is_many = static_cast<Index>(tasks.size()) >= 2 * resolve_threads(request_.threads);
    parallel_for(static_cast<Index>(tasks.size()), is_many ? request_.threads : 1, [&](Index i) {
      run_task(subject, tasks[static_cast<std::size_t>(i)], is_many ? 1 : request_.threads);
    });
  }

  void run_task(const Subject& subject, const Task& task, int threads) {
    stop_if_cancelled(observer_);
    const std::uint64_t subject_seed =
        derive_seed(request_.seed, RandomPurpose::repeat, static_cast<std::uint64_t>(subject.vae_seed));
    const std::uint64_t seed =
        derive_seed(subject_seed, RandomPurpose::repeat, static_cast<std::uint64_t>(task.repeat));
    const Trial trial = subject.trial(seed);
    CancelOnly observer(observer_);
    const std::vector<RunResult> results =
        run_contenders(request_, task.contenders, subject, task.repeat, seed, trial, threads, observer);
    for (std::size_t c = 0; c < results.size(); ++c) {
      const Contender& contender = task.contenders[c];
      if (subject.vae_seed == 0 && task.repeat == 0) {
        const std::string figures = (folder_ / "figures").string();
        write_run_figures(figures, prefix(subject.toy), contender, trial, results[c], threads);
        if (c == 0)
          write_points((folder_ / "figures" / (prefix(subject.toy) + "points.csv")).string(), trial);
      }
      // The run's file comes last: while it is missing, the whole run is repeated.
      replace_file(run_path(subject.toy, subject.vae_seed, task.repeat, contender).string(), results[c].json);
    }
    const std::lock_guard lock(mutex_);
    for (std::size_t c = 0; c < results.size(); ++c) runs_[task.slots[c]] = results[c].json;
    observer_.progress("runs", static_cast<double>(++n_done_), static_cast<double>(n_tasks_));
  }

  const ReproduceRequest& request_;
  Observer& observer_;
  fs::path folder_;
  std::vector<std::string> runs_;
  ReproduceOutcome outcome_;
  std::mutex mutex_;
  std::size_t n_done_ = 0;
  std::size_t n_tasks_ = 0;
};

} // namespace

ReproduceOutcome reproduce(const ReproduceRequest& request, Observer& observer) {
  check_request(request);
  return Reproduction(request, observer).run();
}

} // namespace lacuna
