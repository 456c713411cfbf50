// A run that an earlier `reproduce` left in its folder: it is no run, or it goes into the tables, beside
// itself and a sound one.
#include "experiments/reproduce_results.hpp"
#include "json_mutator.hpp"
#include "properties.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::optional<lacuna::FinishedRun> run =
      lacuna::read_run(std::string(reinterpret_cast<const char*>(data), size));
  if (!run) return 0;
  const std::vector<lacuna::FinishedRun> runs{*run, *run};
  require(nlohmann::json::accept(lacuna::metrics_text(runs)));
  const std::vector<lacuna::ReproduceSummary> summaries = lacuna::summarize(runs);
  require(summaries.size() == 1 && summaries[0].n_runs == 2);
  require(lacuna::reliability_text(runs).ends_with('\n'));
  return 0;
}

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t max_size,
                                               unsigned seed) {
  return mutate_json(data, size, max_size, seed);
}
