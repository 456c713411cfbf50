#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "lacuna/core/errors.hpp"
#include "lacuna/data/table.hpp"
#include "memory_file.hpp"

/// Whatever the file holds: it is refused with an error about data or usage, or what comes out is sound and
/// the streaming reader sees the same numbers and labels as the training reader.
inline void check_table(const std::string& path, const lacuna::TableOptions& options,
                        lacuna::Index block_rows) {
  using namespace lacuna;
  const auto require = [](bool holds) {
    if (!holds) std::abort();
  };
  try {
    const TrainingTable table = read_training_table(path, {"extra"}, options, silent_observer());
    check_dataset(table.data);
    require(table.data.n_rows() > 0 && table.data.n_features() > 0);
    require(
        std::is_sorted(table.data.class_names.begin(), table.data.class_names.end())); // 'extra' is a word
    Archive archive;
    table.schema.save(archive, "x/");
    TableReader reader(path, TableSchema::load(archive, "x/"), options, table.data.class_names);
    TableBlock block;
    Index n_rows = 0;
    while (reader.next(block, block_rows)) {
      require(block.first_row == n_rows);
      for (Index i = 0; i < block.features.n_rows(); ++i, ++n_rows) {
        require(std::equal(block.features.row(i), block.features.row(i) + block.features.n_cols(),
                           table.data.features.row(n_rows),
                           [](double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }));
        require(block.labels[static_cast<std::size_t>(i)] ==
                table.data.labels[static_cast<std::size_t>(n_rows)]);
      }
    }
    require(n_rows == table.data.n_rows() && reader.n_unseen_categories() == 0);
  } catch (const Error& error) {
    require(error.kind() == ErrorKind::data || error.kind() == ErrorKind::usage);
  }
}

/// A file of numbers that begins with these magic bytes: as a table, and as the labels of itself.
inline void check_array(std::string magic, const std::uint8_t* rest, std::size_t size) {
  magic.append(reinterpret_cast<const char*>(rest), size);
  const MemoryFile file{magic};
  lacuna::TableOptions labels_inside;
  labels_inside.label = "c0";
  check_table(file.path(), labels_inside, 3);
  lacuna::TableOptions labels_beside;
  labels_beside.labels = file.path();
  check_table(file.path(), labels_beside, 2);
}
