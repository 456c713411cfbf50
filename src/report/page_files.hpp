#pragma once

#include <string_view>

namespace lacuna {

/// The parts of the report's page, embedded when the library was built (cmake/report_page.cmake).
std::string_view page_template(); ///< HTML with @TITLE@, @STYLE@, @DATA@, @D3@, @D3_LICENCE@ and @SCRIPT@
std::string_view page_style();
std::string_view page_d3();
std::string_view page_d3_licence();
std::string_view page_script();

} // namespace lacuna
