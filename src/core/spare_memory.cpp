#include "core/spare_memory.hpp"

#include <mutex>
#include <new>

#include <sys/mman.h>

namespace lacuna {

namespace {

std::mutex mutex;
std::size_t n_promised = 0;

/// Addresses alone: pages that nobody touches take no memory.
bool is_to_be_had(std::size_t n_bytes) {
  void* const found =
      mmap(nullptr, n_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (found == MAP_FAILED) return false;
  munmap(found, n_bytes);
  return true;
}

} // namespace

SpareMemory::SpareMemory(std::size_t n_bytes) : n_bytes_(n_bytes) {
  const std::lock_guard lock(mutex);
  if (n_bytes > 0 && !is_to_be_had(n_promised + n_bytes)) throw std::bad_alloc();
  n_promised += n_bytes;
}

SpareMemory::~SpareMemory() {
  const std::lock_guard lock(mutex);
  n_promised -= n_bytes_;
}

} // namespace lacuna
