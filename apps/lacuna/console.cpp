#include "console.hpp"

#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstdio>
#include <ctime>

#include <unistd.h>

#include <fmt/format.h>

#include "core/files.hpp"
#include "exit_codes.hpp"
#include "lacuna/core/errors.hpp"
#include "style.hpp"
#include "text.hpp"

namespace lacuna::cli {

namespace {

constexpr double bar_delay = 2.0;
constexpr double bar_interval = 0.1;
constexpr double line_interval = 10.0;
constexpr int progress_length = 24;

/// How long work may take to notice that it is to stop; then it is not asked any more.
constexpr long patience_ns = 600'000'000;

std::atomic<int> interrupted_by{0}; ///< the number of the signal, 0: none came
static_assert(std::atomic<int>::is_always_lock_free, "a signal handler may touch nothing that locks");
timer_t patience{};
bool is_on_terminal = false;
bool quiet_is_wanted = false;
bool has_patience = false; ///< false: the system has no timer to give, and work is waited for

// What stands in the handlers may be called there: man 7 signal-safety.

void end_by(int number) {
  remove_part_files();
  std::signal(number, SIG_DFL);
  std::raise(number); // comes when the handler returns
}

extern "C" void on_interrupt(int number) {
  int none = 0;
  if (!interrupted_by.compare_exchange_strong(none, number)) {
    end_by(number); // the second one
    return;
  }
  const itimerspec once{.it_interval = {}, .it_value = {.tv_sec = 0, .tv_nsec = patience_ns}};
  if (has_patience) timer_settime(patience, 0, &once, nullptr);
}

/// The work did not look in time: a large matrix is factored, or a full pipe waits for its reader.
extern "C" void on_impatience(int) {
  constexpr std::string_view words = "\r\033[Klacuna: interrupted\n"; // over the bar, on a terminal
  const std::string_view shown = words.substr(is_on_terminal ? 0 : 4);
  remove_part_files();
  [[maybe_unused]] const auto n_written = write(STDERR_FILENO, shown.data(), shown.size());
  _exit(exit_code_of_interrupt());
}

extern "C" void on_end(int number) {
  end_by(number);
}

void handle(int number, void (*handler)(int)) {
  struct sigaction before {};
  sigaction(number, nullptr, &before);
  // Whoever started us with the signal ignored (nohup, a background job) meant it.
  if (before.sa_handler == SIG_IGN) return;
  struct sigaction action {};
  action.sa_handler = handler;
  action.sa_flags = SA_RESTART;
  sigaction(number, &action, nullptr);
}

std::string share_text(double done, double total) {
  if (!(total > 0.0)) return fmt::format("{:.0f} done", done);
  return fmt::format("{:.0f} %", 100.0 * std::clamp(done / total, 0.0, 1.0));
}

/// Lines of a message beyond the first are indented. A name with a line end cannot pass for a message of its
/// own.
std::string message_text(std::string_view text) {
  std::string result;
  for (;;) {
    const std::size_t end = std::min(text.find("\n  "), text.size());
    result += shown_name(text.substr(0, end));
    if (end == text.size()) return result;
    result += '\n';
    text.remove_prefix(end + 1);
  }
}

} // namespace

void catch_interrupts() {
  is_on_terminal = isatty(STDERR_FILENO) == 1;
  sigevent event{};
  event.sigev_notify = SIGEV_SIGNAL;
  event.sigev_signo = SIGALRM;
  std::signal(SIGALRM, on_impatience);
  has_patience = timer_create(CLOCK_MONOTONIC, &event, &patience) == 0;
  for (const int number : {SIGINT, SIGTERM}) handle(number, on_interrupt);
  for (const int number : {SIGHUP, SIGQUIT, SIGXCPU}) handle(number, on_end);
  // A write beyond the largest file that is allowed fails then, and says so.
  std::signal(SIGXFSZ, SIG_IGN);
}

int exit_code_of_interrupt() {
  const int number = interrupted_by;
  return number != 0 ? 128 + number : exit_code(ErrorKind::interrupted);
}

void say(std::string_view text) {
  const std::string line = "lacuna: " + message_text(with_options(text, flag_style)) + "\n";
  std::fwrite(line.data(), 1, line.size(), stderr);
}

void tell(std::string_view text) {
  if (!quiet_is_wanted) say(text);
}

void be_quiet() {
  quiet_is_wanted = true;
}

bool is_quiet() {
  return quiet_is_wanted;
}

ConsoleObserver::ConsoleObserver()
    : start_(std::chrono::steady_clock::now()), is_terminal_(isatty(STDERR_FILENO) == 1) {}

ConsoleObserver::~ConsoleObserver() {
  erase_bar();
}

double ConsoleObserver::seconds() const {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
}

void ConsoleObserver::progress(std::string_view stage, double done, double total) {
  if (quiet_is_wanted) return;
  const std::lock_guard lock(mutex_);
  const double now = seconds();
  const double share = total > 0.0 ? std::clamp(done / total, 0.0, 1.0) : 0.0;
  time_left_.see(stage, share, now);
  const std::optional<double> left = time_left_.at(now);
  const std::string end = left ? ", this stage ends in about " + duration_text(*left) : "";
  if (!is_terminal_) {
    if (now - shown_at_ < line_interval) return;
    shown_at_ = now;
    say(fmt::format("{}: {}, {:.0f} s{}", stage, share_text(done, total), now, end));
    return;
  }
  if (now < bar_delay || now - shown_at_ < bar_interval) return;
  shown_at_ = now;
  const auto filled = static_cast<std::size_t>(share * progress_length);
  const std::string bar =
      fmt::format("\r\033[K{} [{}{}] {}, {:.0f} s{}", shown_name(stage), std::string(filled, '#'),
                  std::string(progress_length - filled, '.'), share_text(done, total), now, end);
  std::fwrite(bar.data(), 1, bar.size(), stderr);
  bar_is_shown_ = true;
}

void ConsoleObserver::warning(std::string_view text) {
  const std::lock_guard lock(mutex_);
  erase_bar();
  say(fmt::format("warning: {}", text));
}

void ConsoleObserver::note(std::string_view text) {
  const std::lock_guard lock(mutex_);
  if (!notes_.emplace(text).second) return;
  erase_bar();
  tell(fmt::format("note: {}", text));
}

bool ConsoleObserver::cancelled() const {
  return interrupted_by != 0;
}

void ConsoleObserver::finish() {
  const std::lock_guard lock(mutex_);
  erase_bar();
}

void ConsoleObserver::erase_bar() {
  if (bar_is_shown_) std::fputs("\r\033[K", stderr);
  bar_is_shown_ = false;
}

} // namespace lacuna::cli
