// What a user's project may do with an installed lacuna. The exit status is the verdict.
#include <iostream>
#include <string>

#include "lacuna/core/errors.hpp"
#include "lacuna/core/parallel.hpp"
#include "lacuna/core/random.hpp"
#include "lacuna/core/version.hpp"

int main() {
  if (std::string(lacuna::version()) != EXPECTED_VERSION) {
    std::cerr << "version: got " << lacuna::version() << ", expected " << EXPECTED_VERSION << '\n';
    return 1;
  }
  if (lacuna::exit_code(lacuna::ErrorKind::data) != 65) {
    std::cerr << "exit_code(data): got " << lacuna::exit_code(lacuna::ErrorKind::data) << ", expected 65\n";
    return 1;
  }
  // An exception of the library is caught by its type across the border, also when it is a shared library.
  try {
    lacuna::parallel_for(4, 2, [](lacuna::Index task) {
      if (task == 2) throw lacuna::Error(lacuna::ErrorKind::usage, "task 2");
    });
    std::cerr << "parallel_for swallowed an exception\n";
    return 1;
  } catch (const lacuna::Error& error) {
    if (std::string(error.what()) != "task 2") return 1;
  }
  return 0;
}
