#pragma once

#include "command.hpp"

namespace lacuna::cli {

Command fit_command();
Command predict_command();
Command evaluate_command();
Command compare_command();
Command diagnose_command();
Command advise_command();
Command info_command();
Command demo_command();
Command simulate_command();
Command reproduce_command();

} // namespace lacuna::cli
