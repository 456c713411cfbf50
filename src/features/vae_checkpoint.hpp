#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "features/vae_engine.hpp"

namespace lacuna {

/// Where a training stands between two epochs.
struct VaeProgress {
  VaeState state;
  Index n_epochs = 0;       ///< finished
  double elbo = 0.0;        ///< of the last of them, per training row
  double best_elbo = 0.0;   ///< held-out; with patience only, like the two below
  Index n_without_gain = 0; ///< epochs since then
  std::vector<float> best_parameters;
};

/// Writes a checkpoint in place of the one before it, atomically. `fingerprint` stands for the rows and
/// options it belongs to.
void write_vae_checkpoint(const std::string& path, std::uint64_t fingerprint, const VaeProgress& progress);

/// Reads it back. Nothing when there is no such file, or when it belongs to other rows or options or is
/// damaged: then `why` says so. Throws Error(cannot_write) when the file is not a checkpoint at all, because
/// the next one would replace it.
std::optional<VaeProgress> read_vae_checkpoint(const std::string& path, std::uint64_t fingerprint,
                                               Index n_parameters, std::string& why);

/// FNV-1a, 64 bits: extends a fingerprint by some bytes.
std::uint64_t extend_fingerprint(std::uint64_t fingerprint, const void* bytes, std::size_t n_bytes);
inline constexpr std::uint64_t fingerprint_start = 0xcbf29ce484222325U;

} // namespace lacuna
