#include "style.hpp"

#include <algorithm>

namespace lacuna::cli {

std::string flag_style(std::string_view option) {
  return (option.size() == 1 ? "-" : "--") + key_style(option);
}

std::string key_style(std::string_view option) {
  std::string key(option);
  std::replace(key.begin(), key.end(), '_', '-');
  return key;
}

} // namespace lacuna::cli
