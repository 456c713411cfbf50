# Installs the library, its headers, the tool and a package that find_package(lacuna) finds.
include(CMakePackageConfigHelpers)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/lacuna)
set(libraries lacuna)
if(TARGET lacuna_report)
  list(APPEND libraries lacuna_report) # the tool needs it where libraries are shared
endif()
set_target_properties(${libraries} PROPERTIES VERSION ${PROJECT_VERSION}
                                              SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
install(TARGETS ${libraries} EXPORT lacunaTargets)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/lacuna DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(EXPORT lacunaTargets NAMESPACE lacuna:: DESTINATION ${package_dir})

# Shared libraries are found beside each other and beside the tool, wherever the whole is moved. The build tree has the
# same paths as the installed files: CMake would else keep room for the longer one by empty entries, and an empty entry
# is the current folder. Static libraries need no path at all.
if(BUILD_SHARED_LIBS)
  file(RELATIVE_PATH from_bin_to_lib ${CMAKE_INSTALL_FULL_BINDIR} ${CMAKE_INSTALL_FULL_LIBDIR})
  set_target_properties(${libraries} PROPERTIES BUILD_WITH_INSTALL_RPATH ON INSTALL_RPATH $ORIGIN)
  if(TARGET lacuna_cli)
    set_target_properties(lacuna_cli PROPERTIES BUILD_WITH_INSTALL_RPATH ON
                                                INSTALL_RPATH "$ORIGIN;$ORIGIN/${from_bin_to_lib}")
  endif()
endif()

# Before 1.0 a new minor version may break its users.
write_basic_package_version_file(${PROJECT_BINARY_DIR}/lacunaConfigVersion.cmake
                                 COMPATIBILITY SameMinorVersion)
configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/lacunaConfig.cmake.in
                              ${PROJECT_BINARY_DIR}/lacunaConfig.cmake
                              INSTALL_DESTINATION ${package_dir}
                              NO_SET_AND_CHECK_MACRO)
install(FILES ${PROJECT_BINARY_DIR}/lacunaConfig.cmake ${PROJECT_BINARY_DIR}/lacunaConfigVersion.cmake
        DESTINATION ${package_dir})

if(TARGET lacuna_cli)
  install(TARGETS lacuna_cli)
  # Whoever builds the tool alone goes without.
  install(DIRECTORY ${PROJECT_BINARY_DIR}/reference/man1 DESTINATION ${CMAKE_INSTALL_MANDIR} OPTIONAL)
  install(FILES ${PROJECT_BINARY_DIR}/reference/lacuna
          DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions OPTIONAL)
  install(FILES ${PROJECT_BINARY_DIR}/reference/_lacuna DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions OPTIONAL)
endif()
