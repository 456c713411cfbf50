#include "report/page.hpp"

#include <array>
#include <utility>

#include <nlohmann/json.hpp>

#include "report/page_files.hpp"

namespace lacuna {

namespace {

/// What is not UTF-8, as the name of a file may be, becomes the sign for that.
std::string as_utf8(const std::string& text) {
  using Json = nlohmann::json;
  return Json::parse(Json(text).dump(-1, ' ', false, Json::error_handler_t::replace)).get<std::string>();
}

std::string html_escaped(const std::string& text) {
  std::string result;
  for (const char c : text) {
    switch (c) {
    case '<': result += "&lt;"; break;
    case '>': result += "&gt;"; break;
    case '&': result += "&amp;"; break;
    case '"': result += "&quot;"; break;
    default: result += c;
    }
  }
  return result;
}

} // namespace

std::string report_html(const ReportPage& page) {
  const std::string title = html_escaped(as_utf8(page.title));
  const std::string data = report_json(page);
  const std::array<std::pair<std::string_view, std::string_view>, 6> parts{
      {{"@TITLE@", title},
       {"@STYLE@", page_style()},
       {"@DATA@", data},
       {"@D3@", page_d3()},
       {"@D3_LICENCE@", page_d3_licence()},
       {"@SCRIPT@", page_script()}}};
  // One walk through the template: what is filled in is never searched, whatever a name may hold.
  const std::string_view frame = page_template();
  std::string html;
  html.reserve(frame.size() + data.size() + page_d3().size() + page_script().size() + page_style().size() +
               page_d3_licence().size());
  std::size_t at = 0;
  while (at < frame.size()) {
    std::size_t next = frame.size();
    const std::pair<std::string_view, std::string_view>* found = nullptr;
    for (const auto& part : parts) {
      const std::size_t place = frame.find(part.first, at);
      if (place >= next) continue;
      next = place;
      found = &part;
    }
    html += frame.substr(at, next - at);
    if (found == nullptr) break;
    html += found->second;
    at = next + found->first.size();
  }
  return html;
}

} // namespace lacuna
