// A model that somebody changed part by part, with its checksum put right: it is refused with Error(data), or
// it answers with probabilities, makes its document, and comes back from its own file as it was.
#include <algorithm>

#include "archive_mutator.hpp"
#include "lacuna/pipeline/documents.hpp"
#include "properties.hpp"

namespace {

/// The tool never loads larger ones here: time would go into copying numbers.
constexpr std::size_t largest_file = 256UL * 1024UL;

std::string as_text(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

std::size_t hand_back(const std::optional<std::string>& file, std::uint8_t* data, std::size_t max_size) {
  if (!file || file->size() > max_size) return 0;
  std::copy(file->begin(), file->end(), data);
  return file->size();
}

bool are_same(const lacuna::Scores& a, const lacuna::Scores& b) {
  return a.prediction == b.prediction && a.error_probability == b.error_probability &&
         a.log_ratio == b.log_ratio && a.informative == b.informative &&
         std::ranges::equal(a.posterior.values(), b.posterior.values());
}

void check(const lacuna::Model& model, bool comes_back) {
  const lacuna::Matrix rows = rows_for(model);
  const lacuna::Scores scores = model.score(rows.view(), {.threads = 1});
  require_probabilities(scores);
  if (!comes_back) return;
  require(nlohmann::json::accept(lacuna::model_json(model)));
  const std::vector<char> once = lacuna::encode_model(model);
  const lacuna::Model again = lacuna::decode_model({once.data(), once.size()}, "fuzz");
  require(lacuna::encode_model(again) == once);
  require(are_same(again.score(rows.view(), {.threads = 1}), scores));
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size > largest_file) return 0;
  const std::string file = with_checksum(as_text(data, size));
  std::optional<lacuna::Model> model;
  try {
    model = lacuna::decode_model(file, "fuzz");
  } catch (const lacuna::Error& error) {
    require_data_error(error);
    return 0;
  }
  // Writing JSON and reading it again is most of the time, so that one file in eight does it.
  const bool comes_back = (file[lacuna::safetensors::checksum_at] & 7) == 0;
  check(*model, comes_back); // what was taken must work: no error is caught here
  return 0;
}

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t max_size,
                                               unsigned seed) {
  if (seed % 8 != 0) {
    const std::size_t n = hand_back(ArchiveMutator(seed).mutated(as_text(data, size)), data, max_size);
    if (n > 0) return n;
  }
  return LLVMFuzzerMutate(data, size, max_size);
}

extern "C" std::size_t LLVMFuzzerCustomCrossOver(const std::uint8_t* first, std::size_t first_size,
                                                 const std::uint8_t* second, std::size_t second_size,
                                                 std::uint8_t* out, std::size_t max_size, unsigned seed) {
  return hand_back(ArchiveMutator(seed).crossed(as_text(first, first_size), as_text(second, second_size)),
                   out, max_size);
}
