#include <algorithm>
#include <exception>
#include <optional>

#include <fmt/format.h>

#include "data/labels.hpp"
#include "data/messages.hpp"
#include "data/row_encoder.hpp"
#include "lacuna/core/errors.hpp"
#include "lacuna/data/table.hpp"

namespace lacuna {

namespace {

/// Puts `text` in the place `i` of a list that keeps the memory of its strings from block to block.
void store(std::vector<std::string>& list, std::size_t i, std::string_view text) {
  if (i < list.size()) {
    list[i] = text;
  } else {
    list.emplace_back(text);
  }
}

TextFormat format_of(const TableSchema& schema, const TableOptions& options, const ReadingWatch& watch) {
  TextFormat format = text_format(options, watch);
  format.missing_values = schema.missing_values;
  return format;
}

} // namespace

class TableReader::Impl {
public:
  Impl(const std::string& path, const TableSchema& schema, const TableOptions& options,
       const std::vector<std::string>& class_names, const ColumnsBeside& beside,
       const std::function<void(double)>& watch)
      : schema_(schema), table_(open_table(path, format_of(schema, options, watch))),
        encoder_(schema_, *table_), labels_(*table_, options, class_names, watch_of_labels(watch)),
        watch_(watch) {
    if (!beside.stratum.empty()) stratum_place_ = find_column(*table_, "stratum column", beside.stratum);
    for (const std::string& name : beside.kept)
      kept_places_.push_back(find_column(*table_, "column to keep", name));
  }

  bool next(TableBlock& block, Index max_rows, bool may_keep_failure) {
    if (max_rows < 1) throw Error(ErrorKind::usage, "a block of a table needs at least one row");
    if (failure_) std::rethrow_exception(failure_);
    block.first_row = table_->row();
    block.labels.clear();
    Index n_rows = 0;
    try {
      while (n_rows < max_rows && next_row()) {
        read_row(block, n_rows);
        ++n_rows;
        if (watch_ && is_time_to_look(*table_)) watch_(table_->position());
      }
    } catch (const Error& error) {
      if (!may_keep_failure || n_rows == 0 || error.kind() != ErrorKind::data) throw;
      failure_ = std::current_exception();
    }
    if (labels_.has_labels()) block.labels.resize(static_cast<std::size_t>(n_rows));
    block.strata.resize(stratum_place_ ? static_cast<std::size_t>(n_rows) : 0);
    block.kept.resize(kept_places_.size() * static_cast<std::size_t>(n_rows));
    if (block.features.n_rows() != n_rows || block.features.n_cols() != encoder_.n_features())
      block.features = Matrix(n_rows, encoder_.n_features());
    std::copy_n(staging_.begin(), block.features.values().size(), block.features.values().begin());
    return n_rows > 0;
  }

  double position() const { return is_at_end_ ? 1.0 : table_->position(); }
  Index n_unseen_categories() const { return encoder_.n_unseen_categories(); }
  std::string style_words() const { return table_->style_words(); }

private:
  /// The table's share stands for both.
  ReadingWatch watch_of_labels(const ReadingWatch& watch) const {
    if (!watch) return {};
    return [this, watch](double) { watch(table_->position()); };
  }

  bool next_row() {
    if (is_at_end_) return false;
    const bool has_row = labels_.next();
    is_at_end_ = !has_row;
    return has_row;
  }

  void read_row(TableBlock& block, Index row) {
    read_features(row);
    if (labels_.has_labels()) block.labels.push_back(labels_.number());
    if (stratum_place_)
      store(block.strata, static_cast<std::size_t>(row), checked_text(*table_, *stratum_place_));
    for (std::size_t k = 0; k < kept_places_.size(); ++k)
      store(block.kept, static_cast<std::size_t>(row) * kept_places_.size() + k,
            table_->raw_text(kept_places_[k]));
  }

  // How many rows a block will have is known only at its end, so they wait here: a large `max_rows` must not
  // allocate more than the file holds.
  void read_features(Index row) {
    const auto n_features = static_cast<std::size_t>(encoder_.n_features());
    const std::size_t begin = static_cast<std::size_t>(row) * n_features;
    if (staging_.size() < begin + n_features) staging_.resize(begin + n_features);
    encoder_.encode(*table_, staging_.data() + begin);
  }

  TableSchema schema_;
  std::unique_ptr<TableSource> table_;
  RowEncoder encoder_;
  RowLabels labels_;
  ReadingWatch watch_;
  std::optional<std::size_t> stratum_place_;
  std::vector<std::size_t> kept_places_;
  std::vector<double> staging_;
  bool is_at_end_ = false;
  std::exception_ptr failure_; ///< of the row behind those that were handed out
};

TableReader::TableReader(const std::string& path, const TableSchema& schema, const TableOptions& options,
                         const std::vector<std::string>& class_names, const ColumnsBeside& beside,
                         const std::function<void(double)>& watch)
    : impl_(std::make_unique<Impl>(path, schema, options, class_names, beside, watch)) {}

TableReader::~TableReader() = default;
TableReader::TableReader(TableReader&&) noexcept = default;
TableReader& TableReader::operator=(TableReader&&) noexcept = default;

bool TableReader::next(TableBlock& block, Index max_rows) {
  return impl_->next(block, max_rows, false);
}

bool TableReader::next_sound(TableBlock& block, Index max_rows) {
  return impl_->next(block, max_rows, true);
}

double TableReader::position() const {
  return impl_->position();
}

std::string TableReader::style_words() const {
  return impl_->style_words();
}

Index TableReader::n_unseen_categories() const {
  return impl_->n_unseen_categories();
}

} // namespace lacuna
