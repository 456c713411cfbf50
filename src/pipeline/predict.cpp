#include "lacuna/pipeline/predict.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <iterator>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "core/ordered_work.hpp"
#include "core/parallel.hpp"
#include "core/pass_place.hpp"
#include "lacuna/core/errors.hpp"
#include "pipeline/labeled_blocks.hpp"
#include "pipeline/prediction_bytes.hpp"
#include "pipeline/promises.hpp"

namespace lacuna {

namespace {

/// As many rows as are scored at a time; what they need stays in the cache, where it is computed there.
Index rows_per_piece() {
  return PassesAt::place() == PassPlace::kernels ? 1024 : rows_per_journey;
}

struct Piece {
  TableBlock block;
  std::vector<char> bytes;
  Index n_accepted = 0;
  Index n_abstained = 0;
};

constexpr std::array<std::pair<std::string_view, PredictionFormat>, 3> endings{
    {{".csv", PredictionFormat::csv},
     {".csv.gz", PredictionFormat::csv_gz},
     {".npy", PredictionFormat::npy}}};

std::vector<std::string> kept_columns(const PredictionColumns& columns) {
  std::vector<std::string> names;
  if (!columns.id.empty()) names.push_back(columns.id);
  names.insert(names.end(), columns.keep.begin(), columns.keep.end());
  return names;
}

} // namespace

const OptionTable<PredictionColumns>& PredictionColumns::table() {
  using O = PredictionColumns;
  static const OptionTable<O> rows = [] {
    OptionTable<O> all{
        option("id", &O::id, "COLUMN",
               "Column of DATA to begin every row with, byte for byte: a name to join on"),
        option("keep", &O::keep, "A,B,...", "Columns of DATA to end every row with, byte for byte"),
        option("abstain", &O::abstain, "X",
               "No prediction, but an empty cell, where the error probability is above X; it looks at one "
               "row at "
               "a time and promises nothing about all, which is what " +
                   mention("risk") + " does",
               {.low = 0.0, .high = 1.0, .unset = "none"}),
        option(
            "digits", &O::digits, "N",
            "Significant digits of every number, such as 7, which keep a millionth of it; exact writes the "
            "shortest text that reads back as the same double",
            {.low = 1, .high = 17, .unset = "exact"})};
    for (Option<O>& row : all) row.group = "Columns";
    return all;
  }();
  return rows;
}

PredictionFormat prediction_format(const std::string& path, const std::string& option) {
  std::string name = path.substr(path.find_last_of('/') + 1);
  if (name.find('.', 1) == std::string::npos) return PredictionFormat::csv;
  std::ranges::transform(name, name.begin(), [](char c) {
    return static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  });
  for (const auto& [ending, format] : endings)
    if (name.ends_with(ending)) return format;
  ErrorParts parts;
  parts.option = option;
  parts.found = "'" + path + "'";
  parts.expected =
      "a name that ends in .csv, .csv.gz or .npy, which says what is written, or one without an ending";
  throw Error(ErrorKind::usage, std::move(parts));
}

PredictedRows predict_table(const Model& model, const std::string& path, const TableOptions& table,
                            const PredictOptions& options, const std::function<void(std::string_view)>& write,
                            Observer& observer) {
  const std::vector<std::string>& classes = model.class_names();
  check_options(options.columns);
  const PromiseMaker promises(model.classifier, options);
  if (options.promises.risk && !promises.accepts_any())
    observer.warning(
        fmt::format("the labels do not show an error rate of at most {} for any part of the rows, so none is "
                    "accepted; allow more {}, ask for less {}, or label more rows",
                    *options.promises.risk, mention("risk"), mention("confidence")));
  TableOptions features_only = table;
  features_only.label.clear();
  features_only.labels.clear();
  const std::unique_ptr<PredictionBytes> bytes = prediction_bytes(classes, options);
  TableBlocks blocks(path, model.schema, features_only, classes, {.kept = kept_columns(options.columns)},
                     observer);
  write(bytes->beginning());
  const int threads = resolve_threads(options.threads);
  std::vector<Piece> pieces(static_cast<std::size_t>(ordered_places(threads)));
  const auto at_place = [&](Index place) -> Piece& { return pieces[static_cast<std::size_t>(place)]; };
  const Index piece_rows = rows_per_piece();
  PredictedRows rows;
  work_in_order(
      threads, {.read = [&](Index place) { return blocks.next(at_place(place).block, piece_rows, observer); },
                .work =
                    [&](Index place) {
                      Piece& piece = at_place(place);
                      const Scores scores = model.score(piece.block.features.view(),
                                                        {.first_row = piece.block.first_row, .threads = 1});
                      const Promises promised = promises.of(scores);
                      piece.n_accepted = std::ranges::count(promised.accepted, 1);
                      if (const auto& most = options.columns.abstain)
                        piece.n_abstained =
                            std::ranges::count_if(scores.error_probability,
                                                  [&](double probability) { return probability > *most; });
                      bytes->write_rows({scores, promised, piece.block.kept}, piece.bytes);
                    },
                .write =
                    [&](Index place) {
                      const Piece& piece = at_place(place);
                      write({piece.bytes.data(), piece.bytes.size()});
                      rows.n_rows += piece.block.features.n_rows();
                      rows.n_accepted += piece.n_accepted;
                      rows.n_abstained += piece.n_abstained;
                    }});
  return rows;
}

} // namespace lacuna
