#include "pipeline/prediction_bytes.hpp"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>
#include <iterator>
#include <new>
#include <numeric>
#include <string_view>
#include <system_error>

#include <fmt/format.h>
#include <zlib.h>

#include "data/table_copy.hpp"
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

class CsvBytes : public PredictionBytes {
public:
  CsvBytes(const std::vector<std::string>& classes, const PredictOptions& options)
      : classes_(classes), promises_(options.promises) {
    for (const std::string& name : classes) {
      texts_.push_back(options.cells == CsvCells::no_formulas ? without_formula(name) : name);
      names_.push_back(csv_cell(texts_.back()));
      longest_name_ = std::max(longest_name_, names_.back().size());
    }
  }

  std::string beginning() const override {
    std::string line = "prediction,error_probability,informative,log_ratio";
    for (const std::string& name : classes_) {
      line += ',';
      line += csv_cell("p_" + name);
    }
    if (promises_.sensitivity) line += ",worst_error_probability,flip_odds";
    if (promises_.sets) line += ",set_size,set";
    if (promises_.risk) line += ",accepted";
    return line + '\n';
  }

  void write_rows(const Scores& scores, const Promises& promises, std::vector<char>& bytes) const override {
    constexpr std::size_t n_other_numbers = 8;
    const std::size_t longest_set = promises_.sets ? names_.size() * (longest_name_ + 1) : 0;
    const std::size_t longest_row =
        longest_name_ + longest_set + (n_other_numbers + names_.size()) * (longest_number + 1); // with commas
    bytes.resize(bytes.capacity());
    std::size_t size = 0;
    for (std::size_t i = 0; i < scores.prediction.size(); ++i) {
      if (bytes.size() - size < longest_row) bytes.resize(2 * bytes.size() + longest_row);
      char* const end = put_promises(put_row(bytes.data() + size, scores, i), promises, i);
      *end = '\n';
      size = static_cast<std::size_t>(end + 1 - bytes.data());
    }
    bytes.resize(size);
  }

private:
  char* put_row(char* to, const Scores& scores, std::size_t i) const {
    to = put_text(to, names_[static_cast<std::size_t>(scores.prediction[i])]);
    *to++ = ',';
    to = put_number(to, scores.error_probability[i]);
    *to++ = ',';
    *to++ = scores.informative[i] != 0 ? '1' : '0';
    *to++ = ',';
    to = put_number(to, scores.log_ratio[i]);
    const double* const posterior = scores.posterior.row(static_cast<Index>(i));
    for (std::size_t y = 0; y < names_.size(); ++y) {
      *to++ = ',';
      to = put_number(to, posterior[y]);
    }
    return to;
  }

  char* put_promises(char* to, const Promises& promises, std::size_t i) const {
    if (promises_.sensitivity) {
      *to++ = ',';
      to = put_number(to, promises.worst_error_probability[i]);
      *to++ = ',';
      to = put_number(to, promises.flip_odds[i]);
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

  void write_rows(const Scores& scores, const Promises& promises, std::vector<char>& bytes) const override {
    plain_->write_rows(scores, promises, bytes);
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
  NpyBytes(Index n_classes, const PromiseOptions& promises)
      : n_classes_(static_cast<std::size_t>(n_classes)), promises_(promises),
        n_columns_(n_npy_columns(n_classes, promises)) {}

  std::string beginning() const override { return npy_header(0, n_columns_); }

  void write_rows(const Scores& scores, const Promises& promises, std::vector<char>& bytes) const override {
    const auto row_size = static_cast<std::size_t>(n_columns_) * sizeof(double);
    bytes.resize(scores.prediction.size() * row_size);
    char* to = bytes.data();
    std::vector<double> promised;
    for (std::size_t i = 0; i < scores.prediction.size(); ++i) {
      const double first[n_columns_before_classes] = {
          static_cast<double>(scores.prediction[i]), scores.error_probability[i],
          scores.informative[i] != 0 ? 1.0 : 0.0, scores.log_ratio[i]};
      promised_numbers(promises, i, promised);
      to = put(to, first, n_columns_before_classes);
      to = put(to, scores.posterior.row(static_cast<Index>(i)), n_classes_);
      to = put(to, promised.data(), promised.size());
    }
  }

private:
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
  Index n_columns_;
};

} // namespace

std::unique_ptr<PredictionBytes> prediction_bytes(const std::vector<std::string>& classes,
                                                  const PredictOptions& options) {
  if (options.format == PredictionFormat::npy)
    return std::make_unique<NpyBytes>(static_cast<Index>(classes.size()), options.promises);
  auto csv = std::make_unique<CsvBytes>(classes, options);
  if (options.format == PredictionFormat::csv) return csv;
  return std::make_unique<GzipBytes>(std::move(csv));
}

std::string npy_prediction_header(const Model& model, const PredictOptions& options, Index n_rows) {
  return npy_header(n_rows, n_npy_columns(model.classifier.n_classes(), options.promises));
}

} // namespace lacuna
