# lacuna._core, the compiled part of the Python package, in <build>/python/lacuna beside links to the package's own
# files: with <build>/python in PYTHONPATH the package runs without being installed.
if(NOT DEFINED Python_EXECUTABLE AND EXISTS /usr/bin/python3)
  # The system's interpreter: others in PATH lack the packages that scripts/setup installs.
  set(Python_EXECUTABLE /usr/bin/python3 CACHE FILEPATH "The interpreter the Python package is for")
endif()
set(PYBIND11_FINDPYTHON ON)
find_package(Python 3.11 REQUIRED COMPONENTS Interpreter Development.Module)
find_package(pybind11 2.10 REQUIRED)

file(GLOB LACUNA_BINDING_SOURCES CONFIGURE_DEPENDS python/bindings/*.cpp)
pybind11_add_module(lacuna_python MODULE NO_EXTRAS ${LACUNA_BINDING_SOURCES})
compile_together(lacuna_python 5 ${LACUNA_BINDING_SOURCES})
target_compile_definitions(lacuna_python PRIVATE ${LACUNA_BOUNDS})
target_compile_options(lacuna_python PRIVATE ${LACUNA_WARNINGS} ${LACUNA_BRIEFLY})
target_include_directories(lacuna_python PRIVATE src)
target_link_libraries(lacuna_python PRIVATE lacuna lacuna_report)
# What is linked into the module stays its own business: another lacuna in the process must not meet it.
target_link_options(lacuna_python PRIVATE -Wl,--exclude-libs,ALL)
set(package_folder ${PROJECT_BINARY_DIR}/python/lacuna)
set_target_properties(lacuna_python PROPERTIES OUTPUT_NAME _core LIBRARY_OUTPUT_DIRECTORY ${package_folder})

file(MAKE_DIRECTORY ${package_folder})
file(GLOB package_files CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR}/python/lacuna python/lacuna/*)
foreach(file ${package_files})
  if(NOT file STREQUAL "__pycache__")
    file(CREATE_LINK ${PROJECT_SOURCE_DIR}/python/lacuna/${file} ${package_folder}/${file} SYMBOLIC)
  endif()
endforeach()
if(TARGET lacuna_torch)
  add_dependencies(lacuna_python lacuna_torch)
  file(CREATE_LINK ${PROJECT_BINARY_DIR}/liblacuna_torch.so ${package_folder}/liblacuna_torch.so SYMBOLIC)
endif()
