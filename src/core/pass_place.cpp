#include "core/pass_place.hpp"

#include <utility>

namespace lacuna {

namespace {

thread_local PassPlace named = PassPlace::kernels;

} // namespace

PassesAt::PassesAt(PassPlace place) : outer_(std::exchange(named, place)) {}

PassesAt::~PassesAt() {
  named = outer_;
}

PassPlace PassesAt::place() {
  return named;
}

} // namespace lacuna
