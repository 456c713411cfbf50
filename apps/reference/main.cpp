// Writes the man pages of the tool and what completes its command lines into a folder.

#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>
#include <string>

#include "commands.hpp"
#include "pages.hpp"

namespace {

void write(const std::filesystem::path& path, const std::string& text) {
  std::ofstream file(path, std::ios::binary);
  file.exceptions(std::ios::failbit | std::ios::badbit);
  file << text << std::flush;
}

} // namespace

int main(int argc, char** argv) {
  using namespace lacuna::cli;
  if (argc != 2) {
    std::fputs("usage: lacuna_reference FOLDER\n", stderr);
    return 64;
  }
  try {
    const std::filesystem::path folder(argv[1]);
    const std::vector<Command> commands = all_commands();
    std::filesystem::create_directories(folder / "man1");
    write(folder / "man1" / "lacuna.1", man_page(commands));
    for (const Command& command : commands)
      write(folder / "man1" / (std::string("lacuna-") + command.name + ".1"), man_page(command));
    write(folder / "lacuna", bash_completion(commands)); // by its name bash finds it
    write(folder / "_lacuna", zsh_completion(commands));
  } catch (const std::exception& problem) {
    std::fprintf(stderr, "lacuna_reference: %s\n", problem.what());
    return 73;
  }
}
