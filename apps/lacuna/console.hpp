#pragma once

#include <chrono>
#include <mutex>
#include <set>
#include <string>
#include <string_view>

#include "lacuna/core/observer.hpp"
#include "time_left.hpp"

namespace lacuna::cli {

/// From now on SIGINT and SIGTERM ask running work to stop and clean up; if it does not within a moment, or a
/// second one comes, the tool ends at once. Neither these nor SIGHUP, SIGQUIT and SIGXCPU, which end it as
/// ever, leave a part file; SIGXFSZ becomes an error of the write.
void catch_interrupts();

/// 128 and the number of the signal that asked to stop: 130 for SIGINT, 143 for SIGTERM.
int exit_code_of_interrupt();

/// From now on there are no progress, notes and summaries; what is wrong is still said.
void be_quiet();
bool is_quiet();

/// What is wrong, on stderr: "lacuna: <text>", with mentioned options as flags.
void say(std::string_view text);
/// The same with what is good to know, unless the user wants quiet.
void tell(std::string_view text);

/// Shows progress and warnings on stderr. A bar on a terminal, after two seconds; elsewhere a line at most
/// every ten seconds. Only warnings where the user wants quiet.
class ConsoleObserver : public Observer {
public:
  ConsoleObserver();
  ~ConsoleObserver() override;
  ConsoleObserver(const ConsoleObserver&) = delete;
  ConsoleObserver& operator=(const ConsoleObserver&) = delete;

  void progress(std::string_view stage, double done, double total) override;
  void warning(std::string_view text) override;
  void note(std::string_view text) override;
  bool cancelled() const override;
  double seconds() const;
  /// The work is done: takes the bar away, so that what is said next has the line to itself.
  void finish();

private:
  void erase_bar();

  std::chrono::steady_clock::time_point start_;
  double shown_at_ = 0.0;
  TimeLeft time_left_;
  bool is_terminal_ = false;
  bool bar_is_shown_ = false;
  std::set<std::string, std::less<>> notes_; ///< that were told: a file may be opened more than once
  std::mutex mutex_;
};

} // namespace lacuna::cli
