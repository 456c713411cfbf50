# The tool, and what is made from the tables of its options: man pages and completions, written by a program of the same
# commands.
file(GLOB LACUNA_APP_SOURCES CONFIGURE_DEPENDS apps/lacuna/*.cpp)
list(FILTER LACUNA_APP_SOURCES EXCLUDE REGEX "/main\\.cpp$")
add_library(lacuna_commands STATIC ${LACUNA_APP_SOURCES})
add_executable(lacuna_cli apps/lacuna/main.cpp)
set_target_properties(lacuna_cli PROPERTIES OUTPUT_NAME lacuna)
file(GLOB LACUNA_REFERENCE_SOURCES CONFIGURE_DEPENDS apps/reference/*.cpp)
add_executable(lacuna_reference ${LACUNA_REFERENCE_SOURCES})
foreach(target lacuna_commands lacuna_cli lacuna_reference)
  target_compile_definitions(${target} PRIVATE ${LACUNA_BOUNDS})
  target_compile_options(${target} PRIVATE ${LACUNA_WARNINGS} ${LACUNA_BRIEFLY})
endforeach()
target_include_directories(lacuna_commands PUBLIC src apps/lacuna)
target_link_libraries(lacuna_commands PUBLIC lacuna_experiments lacuna_report lacuna fmt::fmt
                                      PRIVATE CLI11::CLI11 tomlplusplus::tomlplusplus)
target_link_libraries(lacuna_cli PRIVATE lacuna_commands)
target_link_libraries(lacuna_reference PRIVATE lacuna_commands)
compile_together(lacuna_commands 12 ${LACUNA_APP_SOURCES})
compile_together(lacuna_reference 12 ${LACUNA_REFERENCE_SOURCES})

set(reference_folder ${PROJECT_BINARY_DIR}/reference)
add_custom_command(
  OUTPUT ${reference_folder}/man1/lacuna.1 ${reference_folder}/lacuna ${reference_folder}/_lacuna
  COMMAND ${CMAKE_COMMAND} -E rm -rf ${reference_folder}
  COMMAND lacuna_reference ${reference_folder}
  DEPENDS lacuna_reference
  COMMENT "Writing man pages and completions"
  VERBATIM)
add_custom_target(lacuna_reference_files ALL DEPENDS ${reference_folder}/man1/lacuna.1)
