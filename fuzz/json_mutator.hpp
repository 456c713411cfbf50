#pragma once

#include <cmath>
#include <cstdint>
#include <iterator>
#include <limits>
#include <random>
#include <string>

#include <nlohmann/json.hpp>

#include "core/json_depth.hpp"

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t max_size);

/// Changes one field of a JSON text and leaves the rest sound.
class JsonMutator {
public:
  explicit JsonMutator(std::minstd_rand& random) : random_(random) {}

  /// Changes bytes where the text is no JSON.
  std::string changed(const std::string& text) {
    if (lacuna::nests_too_deeply(text)) return changed_bytes(text);
    Json document = Json::parse(text, nullptr, false);
    if (document.is_discarded()) return changed_bytes(text);
    change_field(document);
    return document.dump(-1, ' ', false, Json::error_handler_t::replace);
  }

  std::string changed_bytes(std::string text) {
    constexpr std::size_t room = 16;
    const std::size_t size = text.size();
    text.resize(size + room);
    text.resize(LLVMFuzzerMutate(reinterpret_cast<std::uint8_t*>(text.data()), size, size + room));
    return text;
  }

  /// A number at some limit.
  double interesting() {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    const double values[] = {
        0.0,          -0.0,     1.0,      -1.0,  0.5,   2.0,   3.0,    7.0,    -0.5,       0.999,
        1e-300,       1e-9,     1e30,     1e100, 1e153, 1e300, -1e300, 5e-324, 16777216.0, 1099511627776.0,
        std::nan(""), infinity, -infinity};
    return values[below(std::size(values))];
  }

private:
  using Json = nlohmann::ordered_json;

  std::size_t below(std::size_t n) { return n == 0 ? 0 : random_() % n; }

  /// Walks down to some field; changes or drops it.
  void change_field(Json& node) {
    if (!node.is_structured() || node.empty()) {
      node = other_value(node);
      return;
    }
    const auto at = std::next(node.begin(), static_cast<std::ptrdiff_t>(below(node.size())));
    if (below(12) == 0)
      node.erase(at);
    else
      change_field(*at);
  }

  Json other_value(const Json& old) {
    switch (below(8)) {
    case 0: return nullptr;
    case 1: return below(2) == 0;
    case 2: return Json::array();
    case 3: return "x";
    case 4: return std::numeric_limits<std::int64_t>::min();
    case 5: return std::numeric_limits<std::uint64_t>::max();
    case 6: return old.is_string() ? Json(changed_bytes(old.get<std::string>())) : Json("1");
    default: return interesting();
    }
  }

  std::minstd_rand& random_;
};

/// What a fuzzer of JSON texts calls as its mutator: fields as often as bytes.
inline std::size_t mutate_json(std::uint8_t* data, std::size_t size, std::size_t max_size, unsigned seed) {
  std::minstd_rand random(seed);
  if (seed % 2 == 0) return LLVMFuzzerMutate(data, size, max_size);
  const std::string text =
      JsonMutator(random).changed(std::string(reinterpret_cast<const char*>(data), size));
  if (text.size() > max_size) return LLVMFuzzerMutate(data, size, max_size);
  std::copy(text.begin(), text.end(), data);
  return text.size();
}
