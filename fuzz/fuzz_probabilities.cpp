#include "data/probability_table.hpp"
#include "lacuna/core/errors.hpp"
#include "lacuna/evaluation/calibrators.hpp"
#include "lacuna/evaluation/evaluator.hpp"
#include "memory_file.hpp"

namespace {

void require(bool holds) {
  if (!holds) std::abort();
}

void evaluate(const std::string& path, const lacuna::TableOptions& options,
              lacuna::CalibrationMethod method) {
  using namespace lacuna;
  ProbabilityReader reader(path, options, "", {});
  const auto n_classes = static_cast<Index>(reader.class_names().size());
  Evaluator evaluator(n_classes);
  CalibrationSet set(method, n_classes);
  std::vector<std::vector<double>> rows;
  ProbabilityBlock block;
  while (reader.next(block, 3)) {
    for (Index i = 0; i < block.probabilities.n_rows(); ++i) {
      const auto at = static_cast<std::size_t>(i);
      if (block.labels[at] == missing_label) continue;
      const double* p = block.probabilities.row(i);
      rows.emplace_back(p, p + n_classes);
      evaluator.add(block.labels[at], block.predictions[at], block.error_probability[at], rows.back());
      set.add(block.labels[at], block.predictions[at], block.error_probability[at], rows.back());
    }
  }
  if (rows.empty()) return;
  evaluator.diagnostics({.bins = 7, .bin_kind = BinKind::equal_mass});
  const auto calibrator = set.fit();
  for (std::size_t i = 0; i < rows.size(); ++i) {
    double q = evaluator.rows().error_probability[i];
    calibrator->apply(evaluator.rows().prediction[i], q, rows[i]);
    require(q >= 0.0 && q <= 1.0);
    double sum = 0.0;
    for (const double p : rows[i]) {
      require(p >= 0.0 && p <= 1.0);
      sum += p;
    }
    require(sum > 1.0 - 1e-9 && sum < 1.0 + 1e-9);
  }
}

} // namespace

/// The first byte chooses the options, the rest is a table of probabilities: it is refused with an error
/// about data or usage, or its rows are evaluated and calibrated into rows of probabilities.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const MemoryFile file(data + 1, size - 1);
  lacuna::TableOptions options;
  options.no_header = (data[0] & 4U) != 0;
  if (options.no_header) options.label = "c0";
  try {
    evaluate(file.path(), options, static_cast<lacuna::CalibrationMethod>(data[0] & 3U));
  } catch (const lacuna::Error& error) {
    require(error.kind() == lacuna::ErrorKind::data || error.kind() == lacuna::ErrorKind::usage);
  }
  return 0;
}
