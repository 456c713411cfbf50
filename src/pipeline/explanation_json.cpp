#include <nlohmann/json.hpp>

#include "lacuna/core/version.hpp"
#include "lacuna/pipeline/documents.hpp"

namespace lacuna {

namespace {

using OrderedJson = nlohmann::ordered_json;

OrderedJson columns_json(const std::vector<ColumnEffect>& columns) {
  OrderedJson all = OrderedJson::array();
  for (const ColumnEffect& column : columns)
    all.push_back({{"name", column.name},
                   {"value", column.value},
                   {"push", column.push},
                   {"without", column.without},
                   {"alone", column.alone},
                   {"strangeness_without", column.strangeness_without}});
  return all;
}

OrderedJson parts_json(const std::vector<AnswerPart>& parts) {
  OrderedJson all = OrderedJson::array();
  for (const AnswerPart& part : parts)
    all.push_back({{"source", to_string(part.source)},
                   {"weight", part.weight},
                   {"error_probability", part.error_probability}});
  return all;
}

OrderedJson nearest_json(const std::vector<NearRow>& rows) {
  OrderedJson all = OrderedJson::array();
  for (const NearRow& row : rows) {
    OrderedJson differences = OrderedJson::object();
    for (const auto& [name, value] : row.differences) differences[name] = value;
    all.push_back({{"row", row.row + 1},
                   {"label", row.label},
                   {"distance", row.distance},
                   {"differences", differences}});
  }
  return all;
}

} // namespace

std::string explanation_json(const Explanation& found) {
  OrderedJson posterior = OrderedJson::object();
  for (std::size_t y = 0; y < found.classes.size(); ++y) posterior[found.classes[y]] = found.posterior[y];
  OrderedJson words = OrderedJson::array();
  for (const std::string& sentence : found.words) words.push_back(with_options(sentence, plain_style));
  const Anatomy& anatomy = found.anatomy;
  const OrderedJson document{{"version", version()},
                             {"row", found.row + 1},
                             {"prediction", found.prediction},
                             {"error_probability", found.error_probability},
                             {"posterior", posterior},
                             {"informative", found.is_informative},
                             {"kappa", found.kappa},
                             {"log_ratio", anatomy.log_ratio},
                             {"strangeness", anatomy.strangeness},
                             {"effects", to_string(found.effects)},
                             {"columns_are_mapped", found.are_columns_mapped},
                             {"columns", columns_json(found.columns)},
                             {"parts", parts_json(anatomy.parts)},
                             {"outside", anatomy.outside},
                             {"trust", anatomy.trust},
                             {"distance", anatomy.distance},
                             {"log_share", anatomy.log_share},
                             {"disagreement", anatomy.disagreement},
                             {"nearest", found.nearest ? nearest_json(*found.nearest) : OrderedJson(nullptr)},
                             {"words", words}};
  return document.dump(2, ' ', false, OrderedJson::error_handler_t::replace) + "\n";
}

} // namespace lacuna
