# What needs libtorch: a shared library of its own, loaded when work may run on a GPU. On the CPU lacuna does without it.
file(RELATIVE_PATH from_bin_to_lib ${CMAKE_INSTALL_FULL_BINDIR} ${CMAKE_INSTALL_FULL_LIBDIR})
set_property(SOURCE src/core/torch_library.cpp APPEND PROPERTY COMPILE_DEFINITIONS LACUNA_FROM_BIN_TO_LIB="${from_bin_to_lib}")

if(LACUNA_WITH_TORCH STREQUAL "AUTO" AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  find_package(Torch QUIET)
elseif(LACUNA_WITH_TORCH AND NOT LACUNA_WITH_TORCH STREQUAL "AUTO")
  find_package(Torch REQUIRED)
endif()
if(NOT Torch_FOUND)
  if(NOT LACUNA_WITH_TORCH STREQUAL "OFF")
    message(STATUS "libtorch not found: all work runs on the CPU (Debian package libtorch-dev)")
  endif()
  return()
endif()

file(GLOB LACUNA_TORCH_SOURCES CONFIGURE_DEPENDS src/*/torch/*.cpp)
# Its own copy of the errors and their escapes, because it does not link lacuna.
add_library(lacuna_torch MODULE ${LACUNA_TORCH_SOURCES} src/core/errors.cpp src/core/escapes.cpp)
compile_together(lacuna_torch 12 ${LACUNA_TORCH_SOURCES}) # libtorch's headers alone take 15 seconds
target_include_directories(lacuna_torch PRIVATE include src)
# libtorch's headers are not ours to warn about.
target_include_directories(lacuna_torch SYSTEM PRIVATE ${TORCH_INCLUDE_DIRS})
target_compile_options(lacuna_torch PRIVATE -Wall -Wextra -Wshadow)
# A missing symbol shows here, not when a user trains.
target_link_options(lacuna_torch PRIVATE -Wl,--no-undefined)
target_link_libraries(lacuna_torch PRIVATE ${TORCH_LIBRARIES} fmt::fmt)
set_target_properties(lacuna_torch PROPERTIES CXX_VISIBILITY_PRESET hidden LIBRARY_OUTPUT_DIRECTORY
                                                                           ${PROJECT_BINARY_DIR})
if(TARGET torch_cuda)
  target_compile_definitions(lacuna_torch PRIVATE LACUNA_TORCH_CUDA)
endif()
set_property(SOURCE src/core/torch_library.cpp APPEND PROPERTY COMPILE_DEFINITIONS LACUNA_TORCH)
install(TARGETS lacuna_torch LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
