// Reads lines "stage share now" and answers each with what is left then, or with "-"; "? now" asks without a
// step and
// "= seconds" is answered in words.

#include <iostream>
#include <string>

#include "apps/lacuna/time_left.hpp"

int main() {
  lacuna::cli::TimeLeft time_left;
  std::string word;
  while (std::cin >> word) {
    double share = 0.0;
    double now = 0.0;
    if (word == "=") {
      std::cin >> now;
      std::cout << lacuna::cli::duration_text(now) << std::endl;
      continue;
    }
    if (word != "?") std::cin >> share;
    std::cin >> now;
    if (word != "?") time_left.see(word, share, now);
    const auto left = time_left.at(now);
    std::cout << (left ? std::to_string(*left) : "-") << std::endl;
  }
}
