#include "data/probability_table.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "data/labels.hpp"
#include "data/messages.hpp"
#include "data/probability_columns.hpp"
#include "data/text_map.hpp"
#include "lacuna/core/errors.hpp"

namespace lacuna {

namespace {

constexpr double sum_tolerance = 1e-6;

} // namespace

class ProbabilityReader::Impl {
public:
  Impl(const std::string& path, const TableOptions& options, const std::string& stratum_column,
       const std::vector<std::string>& classes, const std::function<void(double)>& watch)
      : table_(open_table(path, text_format(options, watch))), reading_(options.missing_label) {
    check_label_source(options);
    columns_ =
        find_probability_columns(*table_, {options.label, stratum_column, classes, !options.labels.empty()});
    if (!options.labels.empty()) label_file_.emplace(options.labels);
    for (std::size_t k = 0; k < columns_.class_names.size(); ++k)
      class_number_.emplace(columns_.class_names[k], static_cast<int>(k));
  }

  const std::vector<std::string>& class_names() const { return columns_.class_names; }

  bool next(ProbabilityBlock& block, Index max_rows) {
    if (max_rows < 1) throw Error(ErrorKind::usage, "a block of a table needs at least one row");
    block.labels.clear();
    block.predictions.clear();
    block.error_probability.clear();
    block.strata.clear();
    staging_.clear();
    while (static_cast<Index>(block.labels.size()) < max_rows && next_row()) read_row(block);
    const auto n_rows = static_cast<Index>(block.labels.size());
    block.probabilities = Matrix(n_rows, static_cast<Index>(columns_.classes.size()), staging_);
    return n_rows > 0;
  }

  double position() const { return is_at_end_ ? 1.0 : table_->position(); }

private:
  bool next_row() {
    if (is_at_end_) return false;
    const bool has_row = next_together(*table_, label_file_);
    is_at_end_ = !has_row;
    return has_row;
  }

  void read_row(ProbabilityBlock& block) {
    const std::size_t first = staging_.size();
    double sum = 0.0;
    for (const std::size_t place : columns_.classes) sum += staging_.emplace_back(probability(place));
    if (!(std::abs(sum - 1.0) <= sum_tolerance)) fail_sum(sum);
    const std::span<const double> row = std::span(staging_).subspan(first);
    const int predicted = prediction(row);
    block.predictions.push_back(predicted);
    // One minus, not the sum of the others: rows that tie in the file must not part by rounding.
    block.error_probability.push_back(columns_.error_probability
                                          ? probability(*columns_.error_probability)
                                          : 1.0 - row[static_cast<std::size_t>(predicted)]);
    block.labels.push_back(label());
    if (columns_.stratum) block.strata.emplace_back(checked_text(*table_, *columns_.stratum));
  }

  double probability(std::size_t place) const {
    const Number number = table_->number(place);
    if (number.kind != NumberKind::finite || number.value < 0.0 || number.value > 1.0)
      fail_value(cell_place(*table_, place), in_quotes(table_->text(place)),
                 "a probability, a number from 0 to 1", class_hint());
    return number.value;
  }

  std::string class_hint() const {
    return fmt::format("the columns taken as classes are {}: name others with {}",
                       name_list(columns_.class_names), mention("classes"));
  }

  [[noreturn]] void fail_sum(double sum) const {
    ErrorParts parts;
    parts.place = table_->place();
    parts.statement =
        fmt::format("the probabilities of the {} classes do not add up to 1", columns_.classes.size());
    parts.found = fmt::format("{:.10g}", sum);
    parts.expected = fmt::format("1 within {:g}", sum_tolerance);
    parts.remedy = class_hint();
    throw Error(ErrorKind::data, std::move(parts));
  }

  int prediction(std::span<const double> row) const {
    if (columns_.prediction)
      return class_of(canonical_text(checked_text(*table_, *columns_.prediction)), *table_,
                      *columns_.prediction, "prediction");
    return static_cast<int>(std::ranges::max_element(row) - row.begin());
  }

  int label() const {
    const TableSource& source = label_file_ ? label_file_->table() : *table_;
    const std::size_t place = label_file_ ? 0 : *columns_.label;
    const std::string_view text = reading_(checked_text(source, place));
    return text.empty() ? missing_label : class_of(text, source, place, "label");
  }

  int class_of(std::string_view name, const TableSource& source, std::size_t place, const char* role) const {
    const auto found = class_number_.find(name);
    if (found != class_number_.end()) return found->second;
    ErrorParts parts;
    parts.place = cell_place(source, place);
    parts.statement = fmt::format("the {} is not one of the classes", role);
    parts.found = in_quotes(name);
    parts.expected = "one of " + name_list(columns_.class_names);
    parts.remedy = "every class needs a column of probabilities";
    throw Error(ErrorKind::data, std::move(parts));
  }

  std::unique_ptr<TableSource> table_;
  LabelReading reading_;
  ProbabilityColumns columns_;
  std::optional<LabelFile> label_file_;
  TextMap<int> class_number_;
  std::vector<double> staging_;
  bool is_at_end_ = false;
};

ProbabilityReader::ProbabilityReader(const std::string& path, const TableOptions& options,
                                     const std::string& stratum_column,
                                     const std::vector<std::string>& classes,
                                     const std::function<void(double)>& watch)
    : impl_(std::make_unique<Impl>(path, options, stratum_column, classes, watch)) {}

ProbabilityReader::~ProbabilityReader() = default;
ProbabilityReader::ProbabilityReader(ProbabilityReader&&) noexcept = default;
ProbabilityReader& ProbabilityReader::operator=(ProbabilityReader&&) noexcept = default;

const std::vector<std::string>& ProbabilityReader::class_names() const {
  return impl_->class_names();
}

bool ProbabilityReader::next(ProbabilityBlock& block, Index max_rows) {
  return impl_->next(block, max_rows);
}

double ProbabilityReader::position() const {
  return impl_->position();
}

} // namespace lacuna
