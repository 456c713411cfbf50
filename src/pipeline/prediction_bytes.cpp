#include "pipeline/prediction_bytes.hpp"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>
#include <iterator>
#include <limits>
#include <new>
#include <numeric>
#include <string_view>
#include <system_error>

#include <fmt/format.h>
#include <zlib.h>

#include "core/escapes.hpp"
#include "data/table_copy.hpp"
#include "lacuna/core/errors.hpp"
#include "pipeline/number_text.hpp"

namespace lacuna {

namespace {

bool is_number(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  double value = 0.0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
  return problem == std::errc() && end == text.data() + text.size() && std::isfinite(value);
}

// A blank or tab before the sign hides it from us, not from every spreadsheet.
std::string without_formula(const std::string& text) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  const bool is_formula =
      first != std::string::npos && std::string_view("=+-@").find(text[first]) != std::string::npos;
  return is_formula && !is_number(text) ? "'" + text : text;
}

[[noreturn]] void refuse_column(const char* option, std::string statement, std::string remedy) {
  ErrorParts parts;
  parts.option = option;
  parts.statement = std::move(statement);
  parts.remedy = std::move(remedy);
  throw Error(ErrorKind::usage, std::move(parts));
}

class CsvBytes : public PredictionBytes {
public:
  CsvBytes(const std::vector<std::string>& classes, const PredictOptions& options)
      : classes_(classes), promises_(options.promises), columns_(options.columns),
        is_safe_(options.cells == CsvCells::no_formulas) {
    for (const std::string& name : classes) {
      texts_.push_back(safe(name));
      names_.push_back(csv_cell(texts_.back()));
      longest_name_ = std::max(longest_name_, names_.back().size());
    }
    check_kept_names();
  }

  std::string beginning() const override {
    std::string line = columns_.id.empty() ? "" : csv_cell(columns_.id) + ',';
    for (const std::string& name : own_columns()) line += csv_cell(name) + ',';
    for (const std::string& name : columns_.keep) line += csv_cell(name) + ',';
    line.back() = '\n';
    return line;
  }

  void write_rows(const PredictionRows& rows, std::vector<char>& bytes) const override {
    const Scores& scores = rows.scores;
    const std::size_t n_kept = scores.prediction.empty() ? 0 : rows.kept.size() / scores.prediction.size();
    constexpr std::size_t n_other_numbers = 8;
    const std::size_t longest_set = promises_.sets ? names_.size() * (longest_name_ + 1) : 0;
    const std::size_t longest_row =
        longest_name_ + longest_set + (n_other_numbers + names_.size()) * (longest_number + 1); // with commas
    bytes.resize(bytes.capacity());
    std::size_t size = 0;
    for (std::size_t i = 0; i < scores.prediction.size(); ++i) {
      const std::span<const std::string> kept = rows.kept.subspan(i * n_kept, n_kept);
      const std::size_t room = longest_row + longest_kept(kept);
      if (bytes.size() - size < room) bytes.resize(2 * bytes.size() + room);
      char* const end = put_all(bytes.data() + size, rows, i, kept);
      *end = '\n';
      size = static_cast<std::size_t>(end + 1 - bytes.data());
    }
    bytes.resize(size);
  }

private:
  /// What the predictions themselves have.
  std::vector<std::string> own_columns() const {
    std::vector<std::string> names{"prediction", "error_probability", "informative", "log_ratio"};
    for (const std::string& name : classes_) names.push_back("p_" + name);
    if (promises_.sensitivity) names.insert(names.end(), {"worst_error_probability", "flip_odds"});
    if (promises_.sets) names.insert(names.end(), {"set_size", "set"});
    if (promises_.risk) names.emplace_back("accepted");
    return names;
  }

  void check_kept_names() const {
    std::vector<std::string> taken = own_columns();
    const auto check = [&](const std::string& name, const char* option) {
      if (std::find(taken.begin(), taken.end(), name) != taken.end())
        refuse_column(option, fmt::format("predictions already have a column '{}'", escaped(name)),
                      "rename it in the table");
      taken.push_back(name);
    };
    if (!columns_.id.empty()) check(columns_.id, "id");
    for (const std::string& name : columns_.keep) check(name, "keep");
  }

  std::string safe(const std::string& text) const { return is_safe_ ? without_formula(text) : text; }

  static std::size_t longest_kept(std::span<const std::string> kept) {
    std::size_t size = 0;
    for (const std::string& cell : kept) size += 2 * cell.size() + 4; // quotes, an apostrophe and a comma
    return size;
  }

  char* put_all(char* to, const PredictionRows& rows, std::size_t i,
                std::span<const std::string> kept) const {
    std::size_t k = 0;
    if (!columns_.id.empty()) {
      to = put_text(to, csv_cell_or_nothing(safe(kept[k++])));
      *to++ = ',';
    }
    to = put_promises(put_row(to, rows.scores, i), rows.promises, i);
    for (; k < kept.size(); ++k) {
      *to++ = ',';
      to = put_text(to, csv_cell_or_nothing(safe(kept[k])));
    }
    return to;
  }

  char* put_figure(char* to, double value) const {
    return put_number(to, value, columns_.digits.value_or(all_digits));
  }

  char* put_row(char* to, const Scores& scores, std::size_t i) const {
    if (!columns_.abstain || scores.error_probability[i] <= *columns_.abstain)
      to = put_text(to, names_[static_cast<std::size_t>(scores.prediction[i])]);
    *to++ = ',';
    to = put_figure(to, scores.error_probability[i]);
    *to++ = ',';
    *to++ = scores.informative[i] != 0 ? '1' : '0';
    *to++ = ',';
    to = put_figure(to, scores.log_ratio[i]);
    const double* const posterior = scores.posterior.row(static_cast<Index>(i));
    for (std::size_t y = 0; y < names_.size(); ++y) {
      *to++ = ',';
      to = put_figure(to, posterior[y]);
    }
    return to;
  }

  char* put_promises(char* to, const Promises& promises, std::size_t i) const {
    if (promises_.sensitivity) {
      *to++ = ',';
      to = put_figure(to, promises.worst_error_probability[i]);
      *to++ = ',';
      to = put_figure(to, promises.flip_odds[i]);
    }
    if (promises_.sets) {
      *to++ = ',';
      to = put_set(to, promises.sets.data() + i * names_.size());
    }
    if (promises_.risk) {
      *to++ = ',';
      *to++ = promises.accepted[i] != 0 ? '1' : '0';
    }
    return to;
  }

  /// How many classes the set has, and their names with | between them.
  char* put_set(char* to, const char* is_member) const {
    std::string names;
    int size = 0;
    for (std::size_t y = 0; y < texts_.size(); ++y) {
      if (is_member[y] == 0) continue;
      if (size++ > 0) names += '|';
      names += texts_[y];
    }
    to = put_text(to, std::to_string(size));
    *to++ = ',';
    return put_text(to, csv_cell(names));
  }

  static char* put_text(char* to, std::string_view text) { return std::copy(text.begin(), text.end(), to); }

  std::vector<std::string> classes_;
  PromiseOptions promises_;
  PredictionColumns columns_;
  bool is_safe_;
  std::vector<std::string> texts_;
  std::vector<std::string> names_; ///< the same as cells
  std::size_t longest_name_ = 0;
};

/// Each call makes a whole member of a gzip file, so that members are packed side by side.
std::vector<char> packed(std::string_view bytes) {
  constexpr int level = 1; // of digits more effort saves a tenth, and takes several times as long
  constexpr int gzip_window = 15 + 16;
  constexpr int usual_memory = 8;
  z_stream stream{};
  if (deflateInit2(&stream, level, Z_DEFLATED, gzip_window, usual_memory, Z_DEFAULT_STRATEGY) != Z_OK)
    throw std::bad_alloc();
  const struct Ending {
    z_stream& stream;
    ~Ending() { deflateEnd(&stream); }
  } ending{stream};
  std::vector<char> result(deflateBound(&stream, bytes.size()));
  // zlib does not write there, whatever the type says.
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data())); // NOLINT(*-const-cast)
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(result.data());
  stream.avail_out = static_cast<uInt>(result.size());
  deflate(&stream, Z_FINISH);
  result.resize(stream.total_out);
  return result;
}

class GzipBytes : public PredictionBytes {
public:
  explicit GzipBytes(std::unique_ptr<PredictionBytes> plain) : plain_(std::move(plain)) {}

  std::string beginning() const override {
    const std::vector<char> bytes = packed(plain_->beginning());
    return {bytes.begin(), bytes.end()};
  }

  void write_rows(const PredictionRows& rows, std::vector<char>& bytes) const override {
    plain_->write_rows(rows, bytes);
    bytes = packed({bytes.data(), bytes.size()});
  }

private:
  std::unique_ptr<PredictionBytes> plain_;
};

/// A whole header of NPY version 1; blanks before its end leave room for any number of rows.
std::string npy_header(Index n_rows, Index n_columns) {
  static_assert(std::endian::native == std::endian::little, "'<f8' is how doubles lie in memory");
  constexpr std::size_t size = 128;
  std::string header("\x93NUMPY\x01\x00", 8);
  header += static_cast<char>(size - 10);
  header += '\0';
  header += fmt::format("{{'descr': '<f8', 'fortran_order': False, 'shape': ({}, {}), }}", n_rows, n_columns);
  header.resize(size - 1, ' ');
  return header + '\n';
}

constexpr Index n_columns_before_classes = 4;

Index n_npy_columns(Index n_classes, const PromiseOptions& promises) {
  return n_columns_before_classes + n_classes + (promises.sensitivity ? 2 : 0) +
         (promises.sets ? 1 + n_classes : 0) + (promises.risk ? 1 : 0);
}

class NpyBytes : public PredictionBytes {
public:
  NpyBytes(Index n_classes, const PredictOptions& options)
      : n_classes_(static_cast<std::size_t>(n_classes)), promises_(options.promises),
        abstain_(options.columns.abstain), n_columns_(n_npy_columns(n_classes, options.promises)) {
    const PredictionColumns& columns = options.columns;
    if (!columns.id.empty()) refuse_in_npy("id", "a column of the table");
    if (!columns.keep.empty()) refuse_in_npy("keep", "a column of the table");
    if (columns.digits) refuse_in_npy("digits", "a number as text");
  }

  std::string beginning() const override { return npy_header(0, n_columns_); }

  void write_rows(const PredictionRows& rows, std::vector<char>& bytes) const override {
    const Scores& scores = rows.scores;
    const auto row_size = static_cast<std::size_t>(n_columns_) * sizeof(double);
    bytes.resize(scores.prediction.size() * row_size);
    char* to = bytes.data();
    std::vector<double> promised;
    for (std::size_t i = 0; i < scores.prediction.size(); ++i) {
      const double first[n_columns_before_classes] = {answer(scores, i), scores.error_probability[i],
                                                      scores.informative[i] != 0 ? 1.0 : 0.0,
                                                      scores.log_ratio[i]};
      promised_numbers(rows.promises, i, promised);
      to = put(to, first, n_columns_before_classes);
      to = put(to, scores.posterior.row(static_cast<Index>(i)), n_classes_);
      to = put(to, promised.data(), promised.size());
    }
  }

private:
  static void refuse_in_npy(const char* option, const char* what) {
    refuse_column(option, fmt::format("an NPY file cannot hold {}", what), "write CSV");
  }

  double answer(const Scores& scores, std::size_t i) const {
    const bool is_given = !abstain_ || scores.error_probability[i] <= *abstain_;
    return is_given ? static_cast<double>(scores.prediction[i]) : std::numeric_limits<double>::quiet_NaN();
  }

  static char* put(char* to, const double* numbers, std::size_t n) {
    const std::size_t size = n * sizeof(double);
    if (size > 0) std::memcpy(to, numbers, size);
    return to + size;
  }

  void promised_numbers(const Promises& promises, std::size_t i, std::vector<double>& numbers) const {
    numbers.clear();
    if (promises_.sensitivity)
      numbers.insert(numbers.end(), {promises.worst_error_probability[i], promises.flip_odds[i]});
    if (promises_.sets) {
      const char* const is_member = promises.sets.data() + i * n_classes_;
      numbers.push_back(static_cast<double>(std::accumulate(is_member, is_member + n_classes_, 0)));
      numbers.insert(numbers.end(), is_member, is_member + n_classes_);
    }
    if (promises_.risk) numbers.push_back(promises.accepted[i] != 0 ? 1.0 : 0.0);
  }

  std::size_t n_classes_;
  PromiseOptions promises_;
  std::optional<double> abstain_;
  Index n_columns_;
};

} // namespace

std::unique_ptr<PredictionBytes> prediction_bytes(const std::vector<std::string>& classes,
                                                  const PredictOptions& options) {
  if (options.format == PredictionFormat::npy)
    return std::make_unique<NpyBytes>(static_cast<Index>(classes.size()), options);
  auto csv = std::make_unique<CsvBytes>(classes, options);
  if (options.format == PredictionFormat::csv) return csv;
  return std::make_unique<GzipBytes>(std::move(csv));
}

std::string npy_prediction_header(const Model& model, const PredictOptions& options, Index n_rows) {
  return npy_header(n_rows, n_npy_columns(model.classifier.n_classes(), options.promises));
}

} // namespace lacuna
