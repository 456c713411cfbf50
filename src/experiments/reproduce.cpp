#include "experiments/reproduce.hpp"

#include <filesystem>
#include <iterator>
#include <map>
#include <memory>
#include <mutex>
#include <optional>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/files.hpp"
#include "core/parallel.hpp"
#include "experiments/folders.hpp"
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
  const fs::path folder(request.out);
  const std::optional<std::string> found = content_of((folder / "experiment.json").string());
  if (found && *found != record)
    throw Error(ErrorKind::cannot_write,
                "'" + request.out +
                    "' holds another experiment: other data, protocol, seed or version (see experiment.json "
                    "there); choose another folder with " +
                    mention("out") + ", or remove that one");
  for (const char* part : {"runs", "figures"}) make_folder((folder / part).string());
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
      : request_(request), observer_(observer), folder_(request.out) {}

  ReproduceOutcome run() {
    claim_folder(request_);
    if (is_toy(request_)) {
      for (const std::string& toy : subjects_of(request_))
        run_subject(toy, 0, [&] { return toy_subject(toy); });
    } else {
      for (Index seed = 0; seed < request_.vae_seeds; ++seed)
        run_subject("", seed, [&] { return image_subject(request_, seed, observer_); });
    }
    outcome_.n_runs = static_cast<Index>(runs_.size());
    outcome_.summaries = summarize(runs_);
    outcome_.metrics_path = (folder_ / "metrics.json").string();
    if (request_.wants_report) outcome_.report = reproduce_page(request_, outcome_, first_repeat_);
    write_summaries();
    return std::move(outcome_);
  }

private:
  /// What is made of all runs appears together.
  void write_summaries() {
    AtomicFile reliability((folder_ / "figures" / "reliability.csv").string(), true);
    AtomicFile metrics(outcome_.metrics_path, true);
    reliability.write(reliability_text(runs_));
    metrics.write(metrics_text(runs_));
    std::vector<AtomicFile*> files{&reliability, &metrics};
    if (request_.page != nullptr) {
      request_.page->write(outcome_.report);
      files.push_back(request_.page);
    }
    commit_together(files);
  }

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

  static bool is_shown(Index vae_seed, Index repeat) { return vae_seed == 0 && repeat == 0; }

  std::optional<FinishedRun> earlier_run(const std::string& toy, Index vae_seed, Index repeat,
                                         const Contender& contender) const {
    const std::optional<std::string> text = content_of(run_path(toy, vae_seed, repeat, contender).string());
    return text ? read_run(*text) : std::nullopt;
  }

  /// Takes finished runs from the folder and does the others; the subject itself is made only for these.
  template <typename MakeSubject>
  void run_subject(const std::string& toy, Index vae_seed, MakeSubject make_subject) {
    std::vector<Task> tasks;
    for (Index repeat = 0; repeat < request_.repeats; ++repeat) {
      for (const Contender& contender : contenders()) {
        std::optional<FinishedRun> found = earlier_run(toy, vae_seed, repeat, contender);
        runs_.push_back(found.value_or(FinishedRun{}));
        // A page shows the first repeat, models and all: it is made anew, with the same numbers.
        if (found && !(request_.wants_report && is_shown(vae_seed, repeat))) {
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
    const bool shown = is_shown(subject.vae_seed, task.repeat);
    std::vector<RunResult> results = run_contenders(request_, task.contenders, trial, seed, threads,
                                                    shown && request_.wants_report, observer);
    std::vector<FinishedRun> finished;
    for (const RunResult& result : results) {
      if (shown) {
        const std::string figures = (folder_ / "figures").string();
        write_run_figures(figures, prefix(subject.toy), trial, result, threads);
        if (finished.empty())
          write_points((folder_ / "figures" / (prefix(subject.toy) + "points.csv")).string(), trial);
      }
      finished.push_back(finished_run(subject, task.repeat, result));
      // The run's file comes last: while it is missing, the whole run is repeated.
      replace_file(run_path(subject.toy, subject.vae_seed, task.repeat, result.contender).string(),
                   finished.back().text);
    }
    const std::lock_guard lock(mutex_);
    for (std::size_t c = 0; c < finished.size(); ++c) runs_[task.slots[c]] = std::move(finished[c]);
    if (shown && request_.wants_report) keep(subject.toy, std::move(results));
    observer_.progress("runs", static_cast<double>(++n_done_), static_cast<double>(n_tasks_));
  }

  /// Keeps the results of a preset for the page, in the order of contenders().
  void keep(const std::string& toy, std::vector<RunResult> results) {
    std::vector<RunResult>& kept = first_repeat_[toy];
    const bool comes_first = results.front().contender.preset == contenders().front().preset;
    kept.insert(comes_first ? kept.begin() : kept.end(), std::make_move_iterator(results.begin()),
                std::make_move_iterator(results.end()));
  }

  const ReproduceRequest& request_;
  Observer& observer_;
  fs::path folder_;
  std::vector<FinishedRun> runs_;
  std::map<std::string, std::vector<RunResult>> first_repeat_; ///< for the page, by toy
  ReproduceOutcome outcome_;
  std::mutex mutex_;
  std::size_t n_done_ = 0;
  std::size_t n_tasks_ = 0;
};

} // namespace

std::vector<std::string> reproduce_folders(const ReproduceRequest& request) {
  std::vector<std::string> folders;
  for (const char* const name : {"runs", "figures", "cache"})
    folders.push_back((fs::path(request.out) / name).string());
  return folders;
}

ReproduceOutcome reproduce(const ReproduceRequest& request, Observer& observer) {
  check_options(request);
  return Reproduction(request, observer).run();
}

} // namespace lacuna
