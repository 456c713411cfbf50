#include "features/vae_checkpoint.hpp"

#include <cstring>
#include <filesystem>
#include <fstream>

#include "core/files.hpp"
#include "lacuna/core/errors.hpp"

namespace lacuna {

namespace {

constexpr std::string_view magic = "lacuna vae checkpoint 1\n";

// What stands behind the magic; the arrays follow, then a fingerprint of everything before it.
struct Head {
  std::uint64_t fingerprint;
  std::int64_t n_parameters;
  std::int64_t n_best; ///< n_parameters or 0
  std::int64_t n_steps;
  std::int64_t n_epochs;
  std::int64_t n_without_gain;
  double elbo;
  double best_elbo;
};

void append(std::string& to, const void* bytes, std::size_t n) {
  to.append(static_cast<const char*>(bytes), n);
}

void append(std::string& to, const std::vector<float>& values) {
  append(to, values.data(), values.size() * sizeof(float));
}

std::vector<float> take(const char*& from, std::int64_t n) {
  std::vector<float> values(static_cast<std::size_t>(n));
  if (n > 0) std::memcpy(values.data(), from, values.size() * sizeof(float));
  from += values.size() * sizeof(float);
  return values;
}

} // namespace

std::uint64_t extend_fingerprint(std::uint64_t fingerprint, const void* bytes, std::size_t n_bytes) {
  const auto* at = static_cast<const unsigned char*>(bytes);
  for (std::size_t i = 0; i < n_bytes; ++i) fingerprint = (fingerprint ^ at[i]) * 0x100000001b3U;
  return fingerprint;
}

void write_vae_checkpoint(const std::string& path, std::uint64_t fingerprint, const VaeProgress& progress) {
  const Head head{fingerprint,
                  static_cast<std::int64_t>(progress.state.parameters.size()),
                  static_cast<std::int64_t>(progress.best_parameters.size()),
                  progress.state.n_steps,
                  progress.n_epochs,
                  progress.n_without_gain,
                  progress.elbo,
                  progress.best_elbo};
  std::string bytes{magic};
  append(bytes, &head, sizeof head);
  append(bytes, progress.state.parameters);
  append(bytes, progress.state.first_moments);
  append(bytes, progress.state.second_moments);
  append(bytes, progress.best_parameters);
  const std::uint64_t check = extend_fingerprint(fingerprint_start, bytes.data(), bytes.size());
  append(bytes, &check, sizeof check);
  AtomicFile file(path, true);
  file.write(bytes);
  file.commit();
}

std::optional<VaeProgress> read_vae_checkpoint(const std::string& path, std::uint64_t fingerprint,
                                               Index n_parameters, std::string& why) {
  std::error_code problem;
  if (!std::filesystem::exists(path, problem)) return std::nullopt;
  const auto longest = magic.size() + sizeof(Head) +
                       4 * static_cast<std::size_t>(n_parameters) * sizeof(float) + sizeof(std::uint64_t);
  std::string bytes(longest + 1, '\0');
  std::size_t n_read = 0;
  if (std::filesystem::is_regular_file(path, problem)) {
    std::ifstream file(path, std::ios::binary);
    file.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    n_read = static_cast<std::size_t>(file.gcount());
  }
  bytes.resize(n_read);
  if (!bytes.starts_with(magic))
    throw Error(ErrorKind::cannot_write,
                "the checkpoint '" + path +
                    "' cannot be written: something else is there already; remove it "
                    "or name another file");
  Head head{};
  why = "it is damaged";
  if (bytes.size() < magic.size() + sizeof head) return std::nullopt;
  std::memcpy(&head, bytes.data() + magic.size(), sizeof head);
  if (head.fingerprint != fingerprint) {
    why = "it belongs to other rows or options";
    return std::nullopt;
  }
  const auto expected = magic.size() + sizeof head + sizeof(std::uint64_t) +
                        (3 * static_cast<std::size_t>(n_parameters) +
                         (head.n_best == n_parameters ? static_cast<std::size_t>(n_parameters) : 0)) *
                            sizeof(float);
  if (head.n_parameters != n_parameters || (head.n_best != 0 && head.n_best != n_parameters) ||
      bytes.size() != expected)
    return std::nullopt;
  std::uint64_t check = 0;
  std::memcpy(&check, bytes.data() + bytes.size() - sizeof check, sizeof check);
  if (check != extend_fingerprint(fingerprint_start, bytes.data(), bytes.size() - sizeof check))
    return std::nullopt;
  const char* from = bytes.data() + magic.size() + sizeof head;
  VaeProgress progress;
  progress.state.parameters = take(from, n_parameters);
  progress.state.first_moments = take(from, n_parameters);
  progress.state.second_moments = take(from, n_parameters);
  progress.best_parameters = take(from, head.n_best);
  progress.state.n_steps = static_cast<Index>(head.n_steps);
  progress.n_epochs = static_cast<Index>(head.n_epochs);
  progress.n_without_gain = static_cast<Index>(head.n_without_gain);
  progress.elbo = head.elbo;
  progress.best_elbo = head.best_elbo;
  why.clear();
  return progress;
}

} // namespace lacuna
