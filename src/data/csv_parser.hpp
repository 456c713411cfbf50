#pragma once

#include <array>
#include <string_view>
#include <vector>

#include "data/byte_source.hpp"
#include "lacuna/core/matrix.hpp"

namespace lacuna {

/// Splits CSV text (RFC 4180), or text with another separator, into records. Memory stays bounded by the
/// longest record.
class CsvParser {
public:
  /// Blank lines are skipped, unless `keep_blank_lines`: then each is a record with one empty field.
  CsvParser(ByteSource& source, bool keep_blank_lines);

  /// What the text begins with, before the first call of next(): `size` bytes, or fewer where no more can be
  /// read. Valid until the next call.
  std::string_view beginning(std::size_t size);
  /// A comma unless this is called before the first next().
  void set_separator(char separator);

  /// Goes to the next record; false at the end. Throws Error(data) for text that is not CSV.
  bool next();
  std::size_t n_fields() const { return fields_.size(); }
  /// A field of the current record without its quotes; valid until next().
  std::string_view field(std::size_t i) const {
    return {buffer_.data() + start_ + fields_[i].begin, fields_[i].end - fields_[i].begin};
  }
  /// The line on which the current record begins, from 1.
  Index line() const { return record_line_; }

private:
  /// Counted from the start of the record, so that moving the buffer does not matter.
  struct Field {
    std::size_t begin = 0;
    std::size_t end = 0;
  };
  enum class Ending { cell, line, file };

  bool read_record();
  Ending read_plain_field();
  Ending read_quoted_field();
  Ending end_field(std::size_t begin, std::size_t end);
  bool has_byte() { return start_ + at_ < size_ || refill(); }
  bool refill();
  void check_length(std::size_t length, Index line) const;
  [[noreturn]] void fail(Index line, const std::string& what, const std::string& remedy = "") const;

  ByteSource& source_;
  bool keep_blank_lines_;
  char separator_ = ',';
  std::array<bool, 256> ends_text_{}; ///< the bytes that end a run of ordinary text outside quotes
  std::vector<char> buffer_;
  std::size_t start_ = 0; ///< where the current record begins
  std::size_t at_ = 0;    ///< the next byte to look at, from start_
  std::size_t size_ = 0;  ///< bytes in the buffer, from its front
  bool is_exhausted_ = false;
  std::vector<Field> fields_;
  Index line_ = 1;
  Index record_line_ = 1;
};

} // namespace lacuna
