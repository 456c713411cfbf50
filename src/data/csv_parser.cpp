#include "data/csv_parser.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include <fmt/format.h>

#include "data/messages.hpp"
#include "data/table_source.hpp"

namespace lacuna {

namespace {

constexpr std::size_t first_buffer_size = 2UL * 1024UL; ///< a small file needs no more
constexpr std::size_t usual_buffer_size = 64UL * 1024UL;
constexpr std::size_t longest_field = 1024UL * 1024UL;
constexpr std::size_t longest_record = 256UL * 1024UL * 1024UL;

} // namespace

CsvParser::CsvParser(ByteSource& source, bool keep_blank_lines)
    : source_(source), keep_blank_lines_(keep_blank_lines), buffer_(first_buffer_size) {
  set_separator(',');
  if (source_.peek(3) == "\xEF\xBB\xBF") { // UTF-8 byte order mark
    std::array<char, 3> mark{};
    source_.read(mark.data(), mark.size());
  }
}

void CsvParser::set_separator(char separator) {
  separator_ = separator;
  ends_text_.fill(false);
  for (const char c : {separator, '\n', '\r', '\0'}) ends_text_[static_cast<unsigned char>(c)] = true;
}

std::string_view CsvParser::beginning(std::size_t size) {
  // A read that brings too little is the last good one: what comes next, the end or damage, is for next().
  while (size_ < size) {
    const std::size_t wanted = buffer_.size() - size_;
    if (wanted == 0) {
      buffer_.resize(2 * buffer_.size());
      continue;
    }
    std::size_t n_read = 0;
    try {
      n_read = source_.read(buffer_.data() + size_, wanted);
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::data) throw;
    }
    size_ += n_read;
    if (n_read < wanted) break;
  }
  return {buffer_.data(), std::min(size, size_)};
}

bool CsvParser::next() {
  while (read_record()) {
    // An empty line is one field of no bytes; "" in quotes is not, it took two bytes.
    const bool is_blank =
        fields_.size() == 1 && fields_[0].begin == 0 && fields_[0].end == 0 && buffer_[start_] != '"';
    if (keep_blank_lines_ || !is_blank) return true;
  }
  return false;
}

bool CsvParser::read_record() {
  start_ += at_;
  at_ = 0;
  fields_.clear();
  record_line_ = line_;
  if (!has_byte()) return false;
  Ending ending = Ending::cell;
  while (ending == Ending::cell) {
    if (fields_.size() == max_columns)
      fail(record_line_, fmt::format("there are more than {} cells in one record", max_columns));
    ending = has_byte() && buffer_[start_ + at_] == '"' ? read_quoted_field() : read_plain_field();
  }
  return true;
}

CsvParser::Ending CsvParser::read_plain_field() {
  const std::size_t begin = at_;
  for (;;) {
    const char* from = buffer_.data() + start_ + at_;
    const char* end = buffer_.data() + size_;
    const char* stop = from;
    while (stop != end && !ends_text_[static_cast<unsigned char>(*stop)]) ++stop;
    at_ += static_cast<std::size_t>(stop - from);
    check_length(at_ - begin, line_);
    if (stop != end || !refill()) break;
  }
  return end_field(begin, at_);
}

CsvParser::Ending CsvParser::read_quoted_field() {
  const Index first_line = line_;
  const std::size_t begin = at_;
  std::size_t write = begin; // the field is unquoted in place, over its own opening quote
  ++at_;
  for (;;) {
    if (!has_byte()) fail(first_line, "a quoted cell begins here and its closing quote never comes");
    char* from = buffer_.data() + start_ + at_;
    char* end = buffer_.data() + size_;
    char* stop = static_cast<char*>(std::memchr(from, '"', static_cast<std::size_t>(end - from)));
    const bool is_quote = stop != nullptr;
    if (!is_quote) stop = end;
    const auto length = static_cast<std::size_t>(stop - from);
    if (std::memchr(from, '\0', length) != nullptr) fail(line_, "it holds a zero byte, so it is not text");
    line_ += std::count(from, stop, '\n');
    std::memmove(buffer_.data() + start_ + write, from, length);
    write += length;
    at_ += length;
    check_length(write - begin, first_line);
    if (!is_quote) continue;
    ++at_;
    if (!has_byte() || buffer_[start_ + at_] != '"') return end_field(begin, write);
    buffer_[start_ + write++] = '"';
    ++at_;
  }
}

/// Takes the separator or line end behind a field.
CsvParser::Ending CsvParser::end_field(std::size_t begin, std::size_t end) {
  fields_.push_back({begin, end});
  if (!has_byte()) return Ending::file;
  const char byte = buffer_[start_ + at_];
  ++at_;
  if (byte == separator_) return Ending::cell;
  if (byte == '\r') {
    if (!has_byte()) return Ending::file;
    if (buffer_[start_ + at_] != '\n')
      fail(line_, "a carriage return stands alone",
           "lines must end in LF or CRLF, and a cell that holds one must stand in double quotes");
    ++at_;
  } else if (byte == '\0') {
    fail(line_, "it holds a zero byte, so it is not text in UTF-8", "save the table as CSV in UTF-8");
  } else if (byte != '\n') {
    fail(line_,
         fmt::format("text follows the closing quote of the cell {}", in_quotes(field(fields_.size() - 1))),
         "a quote within a quoted cell must be doubled");
  }
  ++line_;
  return Ending::line;
}

/// Makes more bytes available behind those of the current record; false at the end of the file.
bool CsvParser::refill() {
  if (is_exhausted_) return false;
  if (start_ > 0) {
    std::memmove(buffer_.data(), buffer_.data() + start_, size_ - start_);
    size_ -= start_;
    start_ = 0;
  }
  if (size_ >= longest_record)
    fail(record_line_, "the record is longer than 256 MiB; it does not look like a CSV table");
  if (size_ == buffer_.size() || buffer_.size() < usual_buffer_size) buffer_.resize(2 * buffer_.size());
  const std::size_t n_read = source_.read(buffer_.data() + size_, buffer_.size() - size_);
  size_ += n_read;
  is_exhausted_ = n_read == 0;
  return n_read > 0;
}

void CsvParser::check_length(std::size_t length, Index line) const {
  if (length > longest_field)
    fail(line, "a cell longer than 1 MiB begins here", "perhaps a closing quote is missing");
}

void CsvParser::fail(Index line, const std::string& what, const std::string& remedy) const {
  Place place = in_file(source_.path());
  place.line = line;
  fail_data(std::move(place), what, remedy);
}

} // namespace lacuna
