#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "lacuna/core/errors.hpp"

namespace lacuna {

/// Things that lacuna knows by name, its own first; users may add to them while others read. An entry has a
/// `name`.
template <class Entry>
class Registry {
public:
  /// `what` is what errors call an entry: "density family".
  Registry(std::string what, std::vector<Entry> own) : what_(std::move(what)) {
    for (Entry& entry : own) entries_.push_back(std::make_shared<const Entry>(std::move(entry)));
  }

  std::vector<std::shared_ptr<const Entry>> all() const {
    const std::scoped_lock lock(mutex_);
    return entries_;
  }

  /// Null when there is none.
  std::shared_ptr<const Entry> find(const std::string& name) const {
    const std::scoped_lock lock(mutex_);
    for (const auto& entry : entries_)
      if (entry->name == name) return entry;
    return nullptr;
  }

  /// "a, b, c"
  std::string names() const {
    const std::scoped_lock lock(mutex_);
    std::string text;
    for (const auto& entry : entries_) text += (text.empty() ? "" : ", ") + entry->name;
    return text;
  }

  /// Throws Error(usage) when the name is taken.
  void add(Entry entry) {
    const std::scoped_lock lock(mutex_);
    for (const auto& known : entries_)
      if (known->name == entry.name)
        throw Error(ErrorKind::usage, "there is a " + what_ + " '" + entry.name +
                                          "' already; register each once, under a name of its own");
    entries_.push_back(std::make_shared<const Entry>(std::move(entry)));
  }

private:
  std::string what_;
  mutable std::mutex mutex_;
  std::vector<std::shared_ptr<const Entry>> entries_;
};

} // namespace lacuna
