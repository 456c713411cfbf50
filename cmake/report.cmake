# lacuna_report: the page of an evaluation. Our own sources and D3 are put into it as bytes, so that a page needs
# nothing from anywhere. Debian's node-d3 brings D3 as one file.
file(GLOB LACUNA_REPORT_SOURCES CONFIGURE_DEPENDS src/report/*.cpp)
add_library(lacuna_report ${LACUNA_REPORT_SOURCES})
add_library(lacuna::lacuna_report ALIAS lacuna_report)
target_include_directories(lacuna_report PRIVATE src)
compile_together(lacuna_report 12 ${LACUNA_REPORT_SOURCES})
target_compile_definitions(lacuna_report PRIVATE ${LACUNA_BOUNDS})
target_compile_options(lacuna_report PRIVATE ${LACUNA_WARNINGS} ${LACUNA_BRIEFLY})
target_link_libraries(lacuna_report PUBLIC lacuna PRIVATE fmt::fmt
                                    $<BUILD_INTERFACE:nlohmann_json::nlohmann_json>)
find_file(LACUNA_D3 d3.min.js PATHS /usr/share/nodejs/d3/dist /usr/share/javascript/d3 NO_DEFAULT_PATH
          DOC "D3 5, minified, in one file")
if(NOT LACUNA_D3)
  message(FATAL_ERROR "d3.min.js not found: reports are drawn with D3 5. Install the Debian package node-d3, or give the "
                      "file with -DLACUNA_D3=/path/to/d3.min.js")
endif()

set(page_folder ${PROJECT_SOURCE_DIR}/src/report/page)
# In the order in which they stand in the page: each uses only what comes before it.
set(page_scripts theme frame save verdict plane data_view log_ratio trust promises error_map fields reliability risk_coverage
                 confusion metrics_table diagnosis main)
list(TRANSFORM page_scripts PREPEND ${page_folder}/)
list(TRANSFORM page_scripts APPEND .js)
set(page_files ${page_folder}/page.html ${page_folder}/style.css ${page_folder}/d3-licence.txt ${LACUNA_D3}
               ${page_scripts})
set(page_source ${PROJECT_BINARY_DIR}/report_page_files.cpp)
add_custom_command(
  OUTPUT ${page_source}
  COMMAND ${CMAKE_COMMAND} -D output=${page_source} -D template=${page_folder}/page.html
          -D style=${page_folder}/style.css -D licence=${page_folder}/d3-licence.txt -D d3=${LACUNA_D3}
          "-Dscripts=\"${page_scripts}\"" -P ${CMAKE_CURRENT_LIST_DIR}/embed_page.cmake
  DEPENDS ${page_files} ${CMAKE_CURRENT_LIST_DIR}/embed_page.cmake
  COMMENT "Embedding the report's page"
  VERBATIM)
# A library of its own, so that nobody lints a megabyte of numbers.
add_library(lacuna_report_page OBJECT ${page_source})
set_target_properties(lacuna_report_page PROPERTIES CXX_CLANG_TIDY "")
target_include_directories(lacuna_report_page PRIVATE src)
target_sources(lacuna_report PRIVATE $<TARGET_OBJECTS:lacuna_report_page>)
