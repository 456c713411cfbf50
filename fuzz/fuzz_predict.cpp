// Any table as the input of `predict`, with two fixed models: one takes gaps and categories, one does not. It
// is refused, or every row gets a line of probabilities.
#include "lacuna/pipeline/fit.hpp"
#include "lacuna/pipeline/predict.hpp"
#include "memory_file.hpp"
#include "properties.hpp"
#include "slow_csv.hpp"

namespace {

using namespace lacuna;

Model fitted(const DensityOptions& density) {
  std::string text = "x,job,y\n"; // names of classes that need quotes, and look like a formula
  for (int i = 0; i < 24; ++i)
    text += std::to_string(i % 2 * 3) + "." + std::to_string(i) + (i % 3 == 0 ? ",nurse," : ",\"a,b\",") +
            (i % 4 == 3   ? ""
             : i % 2 == 0 ? "=1+1"
                          : "\"q\"\"u,\"") +
            "\n";
  const MemoryFile file{text};
  FitRequest request;
  request.path = file.path();
  request.label = "y";
  request.density = density;
  request.conditional = ConditionalForm::densities;
  request.draws = Index{1};
  request.kappa = 0.0;
  request.shrinkage = 0.1;
  request.threads = 1;
  return fit_table(request);
}

void check_lines(const std::string& text, Index n_rows, std::size_t n_classes) {
  const SlowCsv table = read_slowly(text, true);
  require(table.is_sound && table.records.size() == static_cast<std::size_t>(n_rows) + 1);
  for (std::size_t i = 0; i < table.records.size(); ++i) {
    require(table.records[i].size() == 4 + n_classes);
    if (i == 0) continue;
    double sum = 0.0;
    for (std::size_t j = 4; j < table.records[i].size(); ++j) {
      const double p = std::stod(table.records[i][j]);
      require(p >= 0.0 && p <= 1.0 + 1e-12);
      sum += p;
    }
    require(std::abs(sum - 1.0) < 1e-9);
    const double q = std::stod(table.records[i][1]);
    require(q >= 0.0 && q <= 1.0 + 1e-12);
  }
}

} // namespace

/// The first byte chooses model and options.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const Model with_gaps = fitted(VbMixtureOptions{.components = 2});
  static const Model complete = fitted(GmmOptions{.components = 1});
  if (size == 0) return 0;
  const Model& model = (data[0] & 1U) != 0 ? with_gaps : complete;
  const MemoryFile file(data + 1, size - 1);
  TableOptions options;
  options.no_header = (data[0] & 2U) != 0;
  std::string text;
  try {
    const PredictOptions how{.threads = 1,
                             .cells = (data[0] & 4U) != 0 ? CsvCells::no_formulas : CsvCells::exact};
    const PredictedRows rows = predict_table(
        model, file.path(), options, how, [&](std::string_view part) { text += part; }, silent_observer());
    check_lines(text, rows.n_rows, model.class_names().size());
  } catch (const Error& error) {
    require(error.kind() == ErrorKind::data || error.kind() == ErrorKind::usage);
  }
  return 0;
}
