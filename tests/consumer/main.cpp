// What a user's project may do with an installed lacuna. The exit status is the verdict.
#include <iostream>
#include <string>

#include "lacuna/core/errors.hpp"
#include "lacuna/core/random.hpp"
#include "lacuna/core/version.hpp"
#include "lacuna/data/dataset.hpp"

int main() {
  if (std::string(lacuna::version()) != EXPECTED_VERSION) {
    std::cerr << "version: got " << lacuna::version() << ", expected " << EXPECTED_VERSION << '\n';
    return 1;
  }
  // An exception of the library is caught by its type across the border, also when it is a shared library.
  try {
    lacuna::check_weight(-1.0, 0);
    std::cerr << "a negative weight was accepted\n";
    return 1;
  } catch (const lacuna::Error& error) {
    if (error.kind() != lacuna::ErrorKind::data) return 1;
  }
  return 0;
}
