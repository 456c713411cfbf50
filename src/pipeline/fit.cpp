#include "lacuna/pipeline/workflows.hpp"
#include "pipeline/record.hpp"
#include "pipeline/tables.hpp"

namespace lacuna {

FitOutcome fit_table(const FitRequest& request, Observer& observer) {
  // Before the table is read, which may take long.
  check_options(request.learning);
  require_one_label_source(request.label_column, request.table);
  TrainingTable table =
      read_training_table(request.path, request.label_column, request.classes, request.table, observer);
  FitResult fit = fit_classifier(table.data, request.learning, observer);
  std::string record = make_record(request, table, fit.summary);
  return {{std::move(table.schema), std::move(fit.classifier), std::move(record)},
          std::move(fit.summary),
          std::move(table.notes)};
}

} // namespace lacuna
