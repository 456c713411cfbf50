#include "lacuna/pipeline/advise.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "argument_rows.hpp"
#include "command_texts.hpp"
#include "commands.hpp"
#include "console.hpp"
#include "core/common_options.hpp"
#include "data/table_rows.hpp"
#include "output.hpp"
#include "text.hpp"

namespace lacuna::cli {

namespace {

constexpr Index most_advised = 1000;

struct AdviseArguments : TableOptions {
  std::string model;
  std::string data;
  std::string output;
  Index n = AdviseOptions{}.n;
  int threads = 0;
  bool force = false;
};

std::string summary_of(const Advice& advice) {
  if (advice.n_unlabeled == 0) return "every row has a label: there is nothing to advise";
  double drop = 0.0;
  for (const AdvisedRow& row : advice.rows) drop += row.expected_drop;
  const auto n_unseen = std::ranges::count(advice.rows, AdviceReason::unseen, &AdvisedRow::reason);
  return fmt::format("{} of {} without a label: labels say nothing yet about {}, {} are uncertain; with "
                     "their labels the mean "
                     "error probability should fall from {:.3f} to about {:.3f}",
                     advice.rows.size(), counted(advice.n_unlabeled, "row"), n_unseen,
                     static_cast<Index>(advice.rows.size()) - n_unseen, advice.mean_error_probability,
                     advice.mean_error_probability - drop);
}

void advise(const AdviseArguments& arguments) {
  keep_apart({{"MODEL", arguments.model}, {"DATA", arguments.data}, {mention("labels"), arguments.labels}},
             {{mention("output"), arguments.output}});
  check_label_source(arguments);
  const Model model = load_model(arguments.model);
  Output output(arguments.output, arguments.force);
  ConsoleObserver observer;
  const Advice advice =
      advise_table(model, arguments.data, arguments, {arguments.n, arguments.threads}, observer);
  write_advice(
      model, advice, arguments.data, arguments, [&](std::string_view text) { output.write(text); }, observer);
  commit_together({&output});
  observer.finish();
  tell(summary_of(advice));
}

} // namespace

Command advise_command() {
  using A = AdviseArguments;
  return make_command<A>(
      texts::advise,
      {.positionals = model_and_data(&A::model, &A::data,
                                     "Table with the columns the model was fitted on: where to look"),
       .options = joined<A>(
           {{output_row(&A::output, "OUT.csv",
                        "CSV file to write, a line for each advised row (- for stdout)"),
             option("n", &A::n, "N", "How many rows", {.low = 1, .high = most_advised}).in_group("General")},
            table_rows<A>({"missing_value", "weights", "drop", "categorical"},
                          {{"label", "Column with the labels: rows that have one are not advised; without it "
                                     "the column that the model was fitted to, where DATA has it"},
                           {"no_header", "The first line of DATA is data"}}),
            {threads_option(&A::threads), force_row(&A::force)}}),
       .required = {"model", "data", "output"}},
      advise);
}

} // namespace lacuna::cli
