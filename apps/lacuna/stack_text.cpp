#include "stack_text.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "text.hpp"

namespace lacuna::cli {

namespace {

std::string self_check_text(const SelfCheck& check) {
  return fmt::format("announced {:.1f} % errors, made {:.1f} % (95 % interval {:.1f} to {:.1f} %)",
                     100.0 * check.announced, 100.0 * check.made, 100.0 * check.low, 100.0 * check.high);
}

} // namespace

std::vector<std::pair<std::string, std::string>> stack_lines(const StackSummary& stack) {
  if (stack.members.empty()) return {};
  std::vector<std::string> members;
  for (const MemberRecord& member : stack.members)
    members.push_back(fmt::format("{} {:.2f}", member.name, member.weight));
  std::vector<std::pair<std::string, std::string>> lines = {{"stack", listed(members, 20)}};
  std::string region = to_string(stack.region);
  if (stack.region_by_densities != 0.0)
    region += fmt::format(", by their log likelihood on unseen rows (densities {:.3f}, classifier {:.3f})",
                          stack.region_by_densities, stack.region_by_classifier);
  lines.emplace_back("region by", region);
  constexpr double much = 0.8;
  const auto n_kept = std::count_if(stack.gaps.begin(), stack.gaps.end(),
                                    [](const GapRecord& gap) { return gap.worth >= much; });
  if (!stack.gaps.empty() && stack.deepest > 0.0)
    lines.emplace_back("trust", fmt::format("in {} of {} simulated gaps extrapolation kept {:.0f} % of its "
                                            "certainty; beyond depth {:.1f} nothing is known",
                                            n_kept, stack.gaps.size(), 100.0 * much, stack.deepest));
  else
    lines.emplace_back("trust", "none: what lies outside the region is not known");
  if (stack.all.n_rows > 0) lines.emplace_back("self-check", self_check_text(stack.all));
  if (stack.deep.n_rows > 0) lines.emplace_back("  deep tenth", self_check_text(stack.deep));
  return lines;
}

} // namespace lacuna::cli
