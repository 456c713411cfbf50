// Feeds arbitrary bytes to the reader of model files. Whatever they are, it must answer with an archive that
// survives being written and read again, or with Error(data).
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "lacuna/core/errors.hpp"
#include "model_io/archive_file.hpp"
#include "model_io/safetensors_format.hpp"

namespace {

void check(std::string_view file) {
  lacuna::Archive archive;
  try {
    archive = lacuna::decode_archive(file, "fuzz");
  } catch (const lacuna::Error& error) {
    if (error.kind() != lacuna::ErrorKind::data) std::abort();
    return;
  }
  const auto once = lacuna::encode_archive(archive);
  const auto twice = lacuna::encode_archive(lacuna::decode_archive({once.data(), once.size()}, "fuzz"));
  if (once != twice) std::abort();
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string file(reinterpret_cast<const char*>(data), size);
  check(file);
  // No mutation ever hits the right checksum, so it is put right: the fuzzer must get behind it.
  using namespace lacuna::safetensors;
  if (file.size() >= checksum_at + checksum_digits) {
    file.replace(checksum_at, checksum_digits, checksum(file));
    check(file);
  }
  return 0;
}
