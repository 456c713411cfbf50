#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include <unistd.h>
#include <zlib.h>

#include "lacuna/data/table.hpp"
#include "tests/expect_error.hpp"

namespace lacuna::test {

/// A file with the given bytes that is gone at the end of the test.
class TempFile {
public:
  explicit TempFile(const std::string& bytes, const std::string& suffix = ".csv") {
    std::string pattern = (std::filesystem::temp_directory_path() / "lacuna-data-XXXXXX").string() + suffix;
    const int descriptor = mkstemps(pattern.data(), static_cast<int>(suffix.size()));
    if (descriptor < 0) throw std::runtime_error("no temporary file");
    close(descriptor);
    path_ = pattern;
    rewrite(bytes);
  }
  ~TempFile() { std::filesystem::remove(path_); }
  TempFile(const TempFile&) = delete;
  TempFile& operator=(const TempFile&) = delete;

  void rewrite(const std::string& bytes) const { std::ofstream(path_, std::ios::binary) << bytes; }
  const std::string& path() const { return path_; }

private:
  std::string path_;
};

inline std::string gzip(const std::string& bytes) {
  z_stream stream{};
  if (deflateInit2(&stream, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) != Z_OK) std::abort();
  std::string packed(deflateBound(&stream, bytes.size()) + 64, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  if (deflate(&stream, Z_FINISH) != Z_STREAM_END) std::abort();
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  return packed;
}

/// For a table whose labels are in a file of their own.
inline TableOptions labels_from(const TempFile& file) {
  TableOptions options;
  options.labels = file.path();
  return options;
}

/// Options that say where the labels are.
inline TableOptions labels_in(const std::string& column) {
  TableOptions options;
  options.label = column;
  return options;
}

inline TrainingTable read_text(const std::string& bytes, const std::string& label = "y",
                               TableOptions options = {}, const std::vector<std::string>& classes = {}) {
  const TempFile file(bytes);
  options.label = label;
  return read_training_table(file.path(), classes, options, silent_observer());
}

inline std::vector<double> values(const Matrix& matrix) {
  return {matrix.values().begin(), matrix.values().end()};
}

/// The labels of a dataset as text, "" where missing.
inline std::vector<std::string> label_texts(const Dataset& data) {
  std::vector<std::string> texts;
  for (const int label : data.labels)
    texts.push_back(label == missing_label ? "" : data.class_names[static_cast<std::size_t>(label)]);
  return texts;
}

} // namespace lacuna::test
