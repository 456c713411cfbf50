# With LACUNA_UNITY the files of a folder are compiled together, a few at a time, because most of a file's time goes to
# the headers it shares with its neighbours. A change then compiles the whole group again: for work on one file leave
# it off, as the preset `dev` does.
option(LACUNA_UNITY "Compile the files of a folder together: faster from nothing, slower after a change" OFF)

# compile_together(TARGET SIZE FILE...): even groups of at most SIZE files. A file with flags of its own stays alone.
function(compile_together target size)
  if(NOT LACUNA_UNITY)
    return()
  endif()
  set(together)
  foreach(file ${ARGN})
    get_source_file_property(flags ${file} COMPILE_OPTIONS)
    get_source_file_property(definitions ${file} COMPILE_DEFINITIONS)
    if(flags OR definitions)
      set_source_files_properties(${file} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
    else()
      list(APPEND together ${file})
    endif()
  endforeach()
  list(LENGTH together n_files)
  math(EXPR n_groups "(${n_files} + ${size} - 1) / ${size}")
  set(i 0)
  foreach(file ${together})
    get_filename_component(folder ${file} DIRECTORY)
    get_filename_component(folder ${folder} NAME)
    math(EXPR group "${i} * ${n_groups} / ${n_files}")
    set_source_files_properties(${file} PROPERTIES UNITY_GROUP ${folder}_${group})
    math(EXPR i "${i} + 1")
  endforeach()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  # A type of an unnamed namespace counts as a header's there, although its file is the only one that has it.
  target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>)
endfunction()

# LACUNA_BRIEFLY: for code that waits for the library, the disk or the user: half the time to compile, and nobody sees
# it run. In other builds than Release it is empty, because their flags are chosen for what they look for.
set(LACUNA_BRIEFLY $<$<CONFIG:Release>:-O1>)
