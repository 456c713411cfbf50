#include "console.hpp"

#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstdio>

#include <unistd.h>

#include <fmt/format.h>

#include "lacuna/core/errors.hpp"
#include "style.hpp"
#include "text.hpp"

namespace lacuna::cli {

namespace {

constexpr double bar_delay = 2.0;
constexpr double bar_interval = 0.1;
constexpr double line_interval = 10.0;
constexpr int progress_length = 24;

std::atomic<bool> interrupted{false};
static_assert(std::atomic<bool>::is_always_lock_free, "a signal handler may touch nothing that locks");

extern "C" void on_interrupt(int) {
  interrupted.store(true);
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
  struct sigaction action {};
  action.sa_handler = on_interrupt;
  action.sa_flags = static_cast<int>(SA_RESETHAND) | SA_RESTART;
  for (const int number : {SIGINT, SIGTERM}) {
    struct sigaction before {};
    sigaction(number, nullptr, &before);
    // Whoever started us with the signal ignored (nohup, a background job) meant it.
    if (before.sa_handler != SIG_IGN) sigaction(number, &action, nullptr);
  }
}

void say(std::string_view text) {
  const std::string line = "lacuna: " + message_text(with_options(text, flag_style)) + "\n";
  std::fwrite(line.data(), 1, line.size(), stderr);
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
  const std::lock_guard lock(mutex_);
  const double now = seconds();
  if (!is_terminal_) {
    if (now - shown_at_ < line_interval) return;
    shown_at_ = now;
    say(fmt::format("{}: {}, {:.0f} s", stage, share_text(done, total), now));
    return;
  }
  if (now < bar_delay || now - shown_at_ < bar_interval) return;
  shown_at_ = now;
  const double share = total > 0.0 ? std::clamp(done / total, 0.0, 1.0) : 0.0;
  const auto filled = static_cast<std::size_t>(share * progress_length);
  const std::string bar =
      fmt::format("\r\033[K{} [{}{}] {}, {:.0f} s", shown_name(stage), std::string(filled, '#'),
                  std::string(progress_length - filled, '.'), share_text(done, total), now);
  std::fwrite(bar.data(), 1, bar.size(), stderr);
  bar_is_shown_ = true;
}

void ConsoleObserver::warning(std::string_view text) {
  const std::lock_guard lock(mutex_);
  erase_bar();
  say(fmt::format("warning: {}", text));
}

bool ConsoleObserver::cancelled() const {
  return interrupted.load();
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
