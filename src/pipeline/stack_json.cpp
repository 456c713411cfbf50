#include "pipeline/stack_json.hpp"

#include <cmath>

#include <nlohmann/json.hpp>

#include "lacuna/core/errors.hpp"

namespace lacuna {

namespace {

using Json = nlohmann::ordered_json;

/// A number that was not finite became null.
double finite_or_nan(const Json& value) {
  return value.is_number() ? value.get<double>() : std::nan("");
}

Json check_object(const SelfCheck& check) {
  return {{"n_rows", check.n_rows},
          {"announced", check.announced},
          {"made", check.made},
          {"low", check.low},
          {"high", check.high}};
}

SelfCheck read_check(const Json& found) {
  return {found.at("n_rows").get_ref<const std::int64_t&>(), finite_or_nan(found.at("announced")),
          finite_or_nan(found.at("made")), finite_or_nan(found.at("low")), finite_or_nan(found.at("high"))};
}

} // namespace

Json stack_object(const StackSummary& stack) {
  Json members = Json::array();
  for (const MemberRecord& member : stack.members)
    members.push_back(
        {{"name", member.name}, {"weight", member.weight}, {"log_likelihood", member.log_likelihood}});
  Json gaps = Json::array();
  for (const GapRecord& gap : stack.gaps)
    gaps.push_back({{"kind", gap.kind},
                    {"n_rows", gap.n_rows},
                    {"depth", gap.depth},
                    {"announced", gap.announced},
                    {"made", gap.made},
                    {"worth", gap.worth}});
  return {{"members", members},
          {"log_likelihood", stack.log_likelihood},
          {"region", to_string(stack.region)},
          {"region_by_densities", stack.region_by_densities},
          {"region_by_classifier", stack.region_by_classifier},
          {"gaps", gaps},
          {"deepest", stack.deepest},
          {"self_check", {{"all", check_object(stack.all)}, {"deep", check_object(stack.deep)}}}};
}

StackSummary read_stack(const Json& found) {
  StackSummary stack;
  for (const Json& member : found.at("members"))
    stack.members.push_back({member.at("name").get<std::string>(), finite_or_nan(member.at("weight")),
                             finite_or_nan(member.at("log_likelihood"))});
  stack.log_likelihood = finite_or_nan(found.at("log_likelihood"));
  const auto region = find_choice<Region>(found.at("region").get<std::string>());
  if (!region) throw Error(ErrorKind::data, "the model is damaged: its record names an unknown region");
  stack.region = *region;
  stack.region_by_densities = finite_or_nan(found.at("region_by_densities"));
  stack.region_by_classifier = finite_or_nan(found.at("region_by_classifier"));
  for (const Json& gap : found.at("gaps"))
    stack.gaps.push_back({gap.at("kind").get<std::string>(), gap.at("n_rows").get_ref<const std::int64_t&>(),
                          finite_or_nan(gap.at("depth")), finite_or_nan(gap.at("announced")),
                          finite_or_nan(gap.at("made")), finite_or_nan(gap.at("worth"))});
  stack.deepest = finite_or_nan(found.at("deepest"));
  stack.all = read_check(found.at("self_check").at("all"));
  stack.deep = read_check(found.at("self_check").at("deep"));
  return stack;
}

} // namespace lacuna
