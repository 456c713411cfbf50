#include "data/array.hpp"

#include "data/messages.hpp"
#include "data/table_source.hpp"

namespace lacuna {

namespace {

std::unique_ptr<TableSource> open_array(const std::string& path, Observer& observer) {
  std::unique_ptr<TableSource> table =
      open_table(path, {.has_header = false, .watch = [&](double) { stop_if_cancelled(observer); }});
  if (!table->is_numeric()) fail_data(in_file(path), "it is not an NPY or IDX file");
  return table;
}

Index count_rows(const std::string& path, Observer& observer) {
  const std::unique_ptr<TableSource> table = open_array(path, observer);
  while (table->next()) {
  }
  return table->row();
}

} // namespace

Matrix read_array(const std::string& path, Observer& observer) {
  const Index n_rows = count_rows(path, observer);
  if (n_rows == 0) fail_data(in_file(path), "it has no row");
  const std::unique_ptr<TableSource> table = open_array(path, observer);
  const std::size_t n_columns = table->column_names().size();
  Matrix values(n_rows, static_cast<Index>(n_columns));
  while (table->next()) {
    if (table->row() > n_rows) break;
    if (is_time_to_look(*table)) stop_if_cancelled(observer);
    double* row = values.row(table->row() - 1);
    for (std::size_t j = 0; j < n_columns; ++j) {
      const Number number = table->number(j);
      if (number.kind != NumberKind::finite)
        fail_value(cell_place(*table, j), std::string(table->text(j)), "a finite number");
      row[j] = number.value;
    }
  }
  if (table->row() != n_rows) fail_changed(path);
  return values;
}

} // namespace lacuna
