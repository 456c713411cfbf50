#include "work.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <optional>
#include <string>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "core/interruption.hpp"
#include "lacuna/core/errors.hpp"

namespace lacuna::python {

namespace py = pybind11;

namespace {

constexpr std::chrono::milliseconds look_every(50);

/// Keeps what the work says until the thread that holds the GIL asks for it.
class Mailbox : public Observer {
public:
  void progress(std::string_view stage, double done, double total) override {
    const std::lock_guard lock(mutex_);
    stage_ = stage;
    done_ = done;
    total_ = total;
    has_begun_ = true;
  }
  void warning(std::string_view text) override {
    const std::lock_guard lock(mutex_);
    if (std::find(warnings_.begin(), warnings_.end(), text) == warnings_.end()) warnings_.emplace_back(text);
  }
  bool cancelled() const override { return cancelled_.load(std::memory_order_relaxed); }

  void cancel() { cancelled_.store(true); }
  /// Also when there is nothing new: a bar counts the seconds.
  void show(const py::object& progress) {
    std::string stage;
    double done = 0.0;
    double total = 0.0;
    {
      const std::lock_guard lock(mutex_);
      if (!has_begun_) return;
      stage = stage_;
      done = done_;
      total = total_;
    }
    progress(stage, done, total);
  }
  std::vector<std::string> take_warnings() {
    const std::lock_guard lock(mutex_);
    return std::exchange(warnings_, {});
  }

private:
  std::mutex mutex_;
  std::string stage_;
  double done_ = 0.0;
  double total_ = 0.0;
  bool has_begun_ = false;
  std::vector<std::string> warnings_;
  std::atomic<bool> cancelled_{false};
};

struct PythonThread {
  const Observer* work;
  unsigned long id;
};
std::vector<PythonThread> python_threads; // touched with the GIL held

/// The work on its thread, and the wait for it.
class Worker {
public:
  Worker(const std::function<void(Observer&)>& work, Mailbox& mailbox)
      : thread_([this, &work, &mailbox] {
          try {
            const Interruptible interruptible(&mailbox); // the steps that know no observer, too
            work(mailbox);
          } catch (...) {
            failure_ = std::current_exception();
          }
          const std::lock_guard lock(mutex_);
          is_done_ = true;
          changed_.notify_one();
        }) {}

  bool wait(std::chrono::milliseconds time) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, time, [this] { return is_done_; });
  }
  /// Stops Python code that the work calls, such as a user's density that trains for minutes; the GIL is
  /// held.
  void interrupt_python(const Observer& work) {
    PyThreadState_SetAsyncExc(static_cast<unsigned long>(thread_.native_handle()), PyExc_KeyboardInterrupt);
    for (const PythonThread& thread : python_threads)
      if (thread.work == &work) PyThreadState_SetAsyncExc(thread.id, PyExc_KeyboardInterrupt);
  }
  void join() { thread_.join(); }
  std::exception_ptr failure() const { return failure_; }

private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool is_done_ = false;
  std::exception_ptr failure_;
  std::jthread thread_; // last: it uses the others
};

void warn(const std::vector<std::string>& texts) {
  if (texts.empty()) return;
  const py::object warn = py::module_::import("lacuna._warnings").attr("warn");
  for (const std::string& text : texts) warn(with_options(text, plain_style));
}

} // namespace

void run_work(const py::object& progress, const std::function<void(Observer&)>& work) {
  Mailbox mailbox;
  std::exception_ptr interruption;
  std::exception_ptr failure;
  {
    const py::gil_scoped_release release;
    std::optional<Worker> worker;
    try {
      worker.emplace(work, mailbox);
    } catch (const std::system_error&) {
      work(mailbox); // no thread to be had: then here, without a bar
    }
    while (worker && !worker->wait(look_every)) {
      const py::gil_scoped_acquire acquire;
      try {
        if (PyErr_CheckSignals() != 0) throw py::error_already_set();
        if (!progress.is_none() && !interruption) mailbox.show(progress);
      } catch (...) {
        if (!interruption) interruption = std::current_exception();
        mailbox.cancel();
        worker->interrupt_python(mailbox);
      }
    }
    if (worker) {
      worker->join();
      failure = worker->failure();
    }
  }
  if (interruption) std::rethrow_exception(interruption);
  if (failure) std::rethrow_exception(failure);
  warn(mailbox.take_warnings());
}

PythonRun::PythonRun(const Observer* work) : id_(PyThread_get_thread_ident()) {
  python_threads.push_back({work, id_});
}

PythonRun::~PythonRun() {
  const auto place = std::find_if(python_threads.rbegin(), python_threads.rend(),
                                  [this](const PythonThread& thread) { return thread.id == id_; });
  python_threads.erase(std::next(place).base());
}

} // namespace lacuna::python
