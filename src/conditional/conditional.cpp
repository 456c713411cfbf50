#include "lacuna/conditional/conditional.hpp"

#include <optional>

#include "conditional/own_conditionals.hpp"
#include "core/archive_checks.hpp"
#include "core/registry.hpp"

namespace lacuna {

namespace {

Registry<ConditionalEntry>& conditionals() {
  static Registry<ConditionalEntry> list("conditional", {logistic_entry(), boosting_entry(), forest_entry(),
                                                         class_prior_entry(), stack_entry()});
  return list;
}

} // namespace

void ConditionalFacts::save(Archive& archive, const std::string& prefix) const {
  archive.put_text(prefix + "family", family);
  archive.put(prefix + "n_features", static_cast<double>(n_features));
  archive.put(prefix + "n_classes", static_cast<double>(n_classes));
}

ConditionalFacts ConditionalFacts::load(const Archive& archive, const std::string& prefix) {
  return {archive.text(prefix + "family"), archive.integer(prefix + "n_features", 1, largest_saved_features),
          archive.integer(prefix + "n_classes", 1, largest_saved_features)};
}

void Conditional::save(Archive& archive, const std::string& prefix) const {
  facts_.save(archive, prefix);
  save_parts(archive, prefix);
}

void register_conditional(ConditionalEntry entry) {
  if (entry.name.empty() || !entry.load)
    throw Error(ErrorKind::usage,
                "a conditional needs a name and a function that loads what it fitted; got '" + entry.name +
                    "' with one of them missing");
  conditionals().add(std::move(entry));
}

bool can_load_conditional(const std::string& family) {
  return conditionals().find(family) != nullptr;
}

std::shared_ptr<const Conditional> load_conditional(const Archive& archive, const std::string& prefix) {
  require_shallow(prefix);
  ConditionalFacts facts = ConditionalFacts::load(archive, prefix);
  const auto entry = conditionals().find(facts.family);
  if (!entry)
    throw Error(ErrorKind::data, "the model holds a conditional of family '" + shown(facts.family) +
                                     "', which this version of lacuna does not know (it knows " +
                                     conditionals().names() +
                                     "); update lacuna, or register the family before loading the model");
  return entry->load(archive, prefix, std::move(facts));
}

} // namespace lacuna
