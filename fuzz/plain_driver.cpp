// Runs a fuzzer where there is no libFuzzer: its seeds first, then changes of them for some seconds, without
// knowing what they reach. CI does this with the release build, whose containers check their bounds.
// Usage: fuzz_NAME SECONDS FOLDER...
#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

extern "C" {
int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);
[[gnu::weak]] std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t max_size,
                                                  unsigned seed);
std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t max_size);
}

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t room_to_grow = 4096;

std::minstd_rand random_number(1);
std::string current;

std::size_t below(std::size_t n) {
  return random_number() % n;
}

/// Keeps what broke the fuzzer; an abort ends the process after this.
void keep_current(int signal) {
  if (std::FILE* const file = std::fopen("broken", "wb")) {
    std::fwrite(current.data(), 1, current.size(), file);
    std::fclose(file);
  }
  std::fputs("fuzz: the input lies in the file 'broken' here\n", stderr);
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

void try_current() {
  LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(current.data()), current.size());
}

std::vector<std::string> read_seeds(int n_folders, char** folders) {
  std::vector<std::string> seeds;
  for (int i = 0; i < n_folders; ++i) {
    std::vector<std::filesystem::path> paths;
    for (const auto& entry : std::filesystem::directory_iterator(folders[i])) paths.push_back(entry.path());
    std::sort(paths.begin(), paths.end()); // the same search on every file system
    for (const std::filesystem::path& path : paths) {
      std::ifstream file(path, std::ios::binary);
      seeds.emplace_back(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
    }
  }
  if (seeds.empty()) seeds.emplace_back("0");
  return seeds;
}

void change_current() {
  const std::size_t size = current.size();
  current.resize(size + room_to_grow);
  auto* const data = reinterpret_cast<std::uint8_t*>(current.data());
  const auto seed = static_cast<unsigned>(random_number());
  current.resize(LLVMFuzzerCustomMutator != nullptr
                     ? LLVMFuzzerCustomMutator(data, size, current.size(), seed)
                     : LLVMFuzzerMutate(data, size, current.size()));
}

} // namespace

/// Changes one place: a bit, a byte, a piece taken out or written twice.
std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t max_size) {
  if (size == 0) {
    if (max_size == 0) return 0;
    data[0] = static_cast<std::uint8_t>(below(256));
    return 1;
  }
  const std::size_t at = below(size);
  const std::size_t length = 1 + below(std::min<std::size_t>(size - at, 32));
  switch (below(4)) {
  case 0: data[at] ^= static_cast<std::uint8_t>(1U << below(8)); return size;
  case 1:
    data[at] = static_cast<std::uint8_t>(below(2) == 0 ? below(256) : "0,\n\"-.e{}[]:"[below(12)]);
    return size;
  case 2:
    if (length == size) return size;
    std::copy(data + at + length, data + size, data + at);
    return size - length;
  default:
    if (size + length > max_size) return size;
    std::copy_backward(data + at, data + size, data + size + length);
    return size + length;
  }
}

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fputs("usage: fuzz_NAME SECONDS FOLDER...\n", stderr);
    return 64;
  }
  for (const int signal : {SIGABRT, SIGSEGV, SIGFPE, SIGILL}) std::signal(signal, keep_current);
  const auto end = Clock::now() + std::chrono::seconds(std::atoi(argv[1]));
  const std::vector<std::string> seeds = read_seeds(argc - 2, argv + 2);
  for (const std::string& seed : seeds) {
    current = seed;
    try_current();
  }
  std::size_t n_runs = seeds.size();
  while (Clock::now() < end) {
    current = seeds[below(seeds.size())];
    for (std::size_t depth = 1 + below(8); depth > 0; --depth, ++n_runs) {
      change_current();
      try_current();
    }
  }
  std::printf("%zu executions\n", n_runs);
  return 0;
}
