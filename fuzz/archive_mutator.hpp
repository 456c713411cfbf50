#pragma once

#include <cstdint>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "json_mutator.hpp"
#include "model_io/archive_file.hpp"
#include "model_io/safetensors_format.hpp"

/// A model file with the checksum that its bytes have: no mutation ever hits it.
inline std::string with_checksum(std::string file) {
  using namespace lacuna::safetensors;
  if (file.size() >= checksum_at + checksum_digits)
    file.replace(checksum_at, checksum_digits, checksum(file));
  return file;
}

/// Changes one part of a model file and leaves the rest sound. Bytes alone would hardly ever get behind the
/// header, which has one spelling only.
class ArchiveMutator {
public:
  explicit ArchiveMutator(unsigned seed) : random_(seed) {}

  /// Nothing where the bytes are no archive.
  std::optional<std::string> mutated(const std::string& file) {
    try {
      const lacuna::Archive archive = lacuna::decode_archive(with_checksum(file), "fuzz");
      return encoded(changed(archive));
    } catch (const lacuna::Error&) {
      return std::nullopt;
    }
  }

  /// The first file with some parts of the second.
  std::optional<std::string> crossed(const std::string& first, const std::string& second) {
    try {
      lacuna::Archive archive = lacuna::decode_archive(with_checksum(first), "fuzz");
      const lacuna::Archive other = lacuna::decode_archive(with_checksum(second), "fuzz");
      for (const auto& [name, tensor] : other.tensors())
        if (archive.tensors().contains(name) && below(8) == 0) archive.put(name, tensor);
      for (const auto& [name, text] : other.texts())
        if (archive.texts().contains(name) && below(8) == 0) archive.put_text(name, text);
      return encoded(archive);
    } catch (const lacuna::Error&) {
      return std::nullopt;
    }
  }

private:
  static std::string encoded(const lacuna::Archive& archive) {
    const std::vector<char> bytes = lacuna::encode_archive(archive);
    return {bytes.begin(), bytes.end()};
  }

  std::size_t below(std::size_t n) { return n == 0 ? 0 : random_() % n; }

  lacuna::Archive changed(const lacuna::Archive& archive) {
    const std::size_t n_tensors = archive.tensors().size();
    const std::size_t n = n_tensors + archive.texts().size();
    if (n == 0) return archive;
    if (below(6) == 0) return without_or_renamed(archive, below(n));
    lacuna::Archive result = archive;
    const std::size_t at = below(n);
    if (at < n_tensors) {
      const auto& [name, tensor] = *std::next(archive.tensors().begin(), static_cast<std::ptrdiff_t>(at));
      result.put(name, changed(tensor));
    } else {
      const auto& [name, text] =
          *std::next(archive.texts().begin(), static_cast<std::ptrdiff_t>(at - n_tensors));
      result.put_text(name, changed(text));
    }
    return result;
  }

  lacuna::Archive without_or_renamed(const lacuna::Archive& archive, std::size_t victim) {
    const bool is_renamed = below(2) == 0;
    const auto name_of = [&](std::size_t at) {
      const std::size_t n = archive.tensors().size();
      return at < n ? std::next(archive.tensors().begin(), static_cast<std::ptrdiff_t>(at))->first
                    : std::next(archive.texts().begin(), static_cast<std::ptrdiff_t>(at - n))->first;
    };
    const std::string lost = name_of(victim);
    const std::string taken = name_of(below(archive.tensors().size() + archive.texts().size()));
    lacuna::Archive result;
    for (const auto& [name, tensor] : archive.tensors())
      if (name != lost) result.put(name, tensor);
    for (const auto& [name, text] : archive.texts())
      if (name != lost) result.put_text(name, text);
    if (!is_renamed) return result;
    if (archive.tensors().contains(lost) && !archive.texts().contains(taken))
      result.put(taken, archive.tensors().at(lost));
    if (archive.texts().contains(lost) && !archive.tensors().contains(taken))
      result.put_text(taken, archive.texts().at(lost));
    return result;
  }

  lacuna::Tensor changed(lacuna::Tensor tensor) {
    std::vector<double>& values = tensor.values;
    const std::size_t way = below(7);
    if (way == 0) { // another length
      const bool grows = below(2) == 0;
      if (!tensor.shape.empty() && tensor.shape[0] >= 1 && tensor.shape[0] < 64) {
        const std::size_t width = values.size() / static_cast<std::size_t>(tensor.shape[0]);
        tensor.shape[0] += grows ? 1 : -1;
        values.resize(width * static_cast<std::size_t>(tensor.shape[0]), 1.0);
      }
      return tensor;
    }
    if (way == 1) { // the same numbers in another shape
      tensor.shape = {static_cast<lacuna::Index>(values.size())};
      if (below(2) == 0) tensor.shape.push_back(1);
      return tensor;
    }
    if (values.empty()) return tensor;
    double& value = values[below(values.size())];
    if (way == 2)
      value = json_.interesting();
    else if (way == 3)
      value += static_cast<double>(below(5)) - 2.0;
    else if (way == 4)
      value *= json_.interesting();
    else if (way == 5)
      value = values[below(values.size())];
    else
      LLVMFuzzerMutate(reinterpret_cast<std::uint8_t*>(&value), sizeof(double), sizeof(double));
    return tensor;
  }

  std::string changed(const std::string& text) {
    return text.starts_with('{') && below(8) != 0 ? json_.changed(text) : json_.changed_bytes(text);
  }

  std::minstd_rand random_;
  JsonMutator json_{random_};
};
