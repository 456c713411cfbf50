# Writes a C++ file that holds the parts of the report's page as bytes: cmake -D output=... -D template=...
# -D style=... -D licence=... -D d3=... -D scripts=... -P embed_page.cmake
set(text "// Generated from src/report/page and D3.\n#include \"report/page_files.hpp\"\n\nnamespace lacuna {\n\nnamespace {\n\n")
set(result "")

function(embed name)
  set(hex "")
  foreach(file ${ARGN})
    file(READ ${file} part HEX)
    # "</script": inside a script element it would end it.
    if(NOT file MATCHES "html$" AND part MATCHES "3c2f736372697074")
      message(FATAL_ERROR "${file} holds </script and cannot stand in a page")
    endif()
    string(APPEND hex "${part}")
  endforeach()
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${hex}")
  string(REGEX REPLACE "((0x[0-9a-f][0-9a-f],)(0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,))" "\\1\n" bytes "${bytes}")
  set(text "${text}constexpr unsigned char ${name}_bytes[] = {\n${bytes}0};\n\n" PARENT_SCOPE)
  set(result "${result}std::string_view page_${name}() { return {reinterpret_cast<const char*>(${name}_bytes), sizeof(${name}_bytes) - 1}; }\n" PARENT_SCOPE)
endfunction()

embed(template ${template})
embed(style ${style})
embed(d3_licence ${licence})
embed(d3 ${d3})
separate_arguments(script_list UNIX_COMMAND "${scripts}")
embed(script ${script_list})
file(WRITE ${output} "${text}} // namespace\n\n${result}\n} // namespace lacuna\n")
