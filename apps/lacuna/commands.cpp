#include "commands.hpp"

namespace lacuna::cli {

namespace {

struct Maker {
  std::string_view name;
  Command (*make)();
};

constexpr Maker makers[] = {{"diagnose", diagnose_command},  {"fit", fit_command},
                            {"predict", predict_command},    {"explain", explain_command},
                            {"advise", advise_command},      {"evaluate", evaluate_command},
                            {"compare", compare_command},    {"info", info_command},
                            {"demo", demo_command},          {"simulate", simulate_command},
                            {"reproduce", reproduce_command}};

} // namespace

std::vector<Command> all_commands() {
  std::vector<Command> commands;
  for (const Maker& maker : makers) commands.push_back(maker.make());
  return commands;
}

std::vector<Command> commands_for(std::string_view typed) {
  for (const Maker& maker : makers)
    if (maker.name == typed) return {maker.make()};
  return all_commands();
}

} // namespace lacuna::cli
