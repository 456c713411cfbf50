# The Python tests in a build with a sanitizer (LACUNA_SANITIZER): what they run with, and which are left out and why.
# The tests themselves leave out single ones, by IS_SANITIZED (tests/tool/cli_tool.py, tests/package/conftest.py).

set(seconds_for_python 3600)

# The interpreter is built without it, so the sanitizer's runtime is loaded before all else, and with it libstdc++, whose
# exceptions it watches.
set(runtime_of_address libasan.so)
set(runtime_of_thread libtsan.so)
set(runtimes)
foreach(library ${runtime_of_${LACUNA_SANITIZER}} libstdc++.so)
  execute_process(COMMAND ${CMAKE_CXX_COMPILER} -print-file-name=${library} OUTPUT_VARIABLE path
                  OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
  file(REAL_PATH ${path} path)
  list(APPEND runtimes ${path})
endforeach()
list(JOIN runtimes ":" runtimes)

# No command of lacuna exits with 99, so that no test takes a finding for the error it expects.
# allocator_may_return_null: memory that cannot be had is std::bad_alloc, as in the program itself.
# detect_leaks: the interpreter and its packages keep what they have until the end.
set(environment_of_address
    "ASAN_OPTIONS=exitcode=99:allocator_may_return_null=1:detect_leaks=0:detect_odr_violation=0"
    "UBSAN_OPTIONS=exitcode=99:print_stacktrace=1")
# die_after_fork: tests start programs while other threads run.
set(environment_of_thread
    "TSAN_OPTIONS=exitcode=99:die_after_fork=0:ignore_noninstrumented_modules=1:suppressions=\"${CMAKE_CURRENT_SOURCE_DIR}/thread_sanitizer.txt\"")
set(tool_environment ${environment_of_${LACUNA_SANITIZER}})
set(package_environment ${environment_of_${LACUNA_SANITIZER}} LD_PRELOAD=${runtimes})

set(left_out
    package_install     # pip builds a module of its own, without the sanitizer
    package_notebooks   # long; what they call is in the other tests
    package_study       # Python of the study and its peers
    tool_report_browser # Chromium shows pages; other tests make them
    tool_faults)        # limits memory, of which a sanitizer takes a lot
if(LACUNA_SANITIZER STREQUAL "thread")
  # Those that call lacuna from several threads, or are called back by them. Its own threads are the C++ tests' matter.
  set(only package_any_classifier package_any_density package_long_work package_same_numbers)
endif()
