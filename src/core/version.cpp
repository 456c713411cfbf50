#include "lacuna/core/version.hpp"

namespace lacuna {

const char* version() {
  return LACUNA_VERSION;
}

} // namespace lacuna
