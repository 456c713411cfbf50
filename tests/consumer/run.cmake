# Installs lacuna from `build` into a fresh folder under `work`, builds this project against it and runs it.
set(stage ${work}/stage)
file(REMOVE_RECURSE ${work})

function(run)
  execute_process(COMMAND ${ARGV} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

run(${CMAKE_COMMAND} --install ${build} --prefix ${stage})
run(${CMAKE_COMMAND} -S ${CMAKE_CURRENT_LIST_DIR} -B ${work}/build -G Ninja -D CMAKE_PREFIX_PATH=${stage}
    -D CMAKE_CXX_COMPILER=${compiler} -D CMAKE_BUILD_TYPE=Debug -D expected_version=${version}
    -D examples=${CMAKE_CURRENT_LIST_DIR}/../../examples)
run(${CMAKE_COMMAND} --build ${work}/build)
run(${work}/build/consumer)
file(GLOB examples RELATIVE ${work}/build ${work}/build/example_*)
foreach(example ${examples})
  run(${work}/build/${example})
endforeach()
if(EXISTS ${stage}/bin/lacuna)
  run(${stage}/bin/lacuna --version)
  foreach(file man/man1/lacuna.1 man/man1/lacuna-fit.1 bash-completion/completions/lacuna zsh/site-functions/_lacuna)
    if(NOT EXISTS ${stage}/share/${file})
      message(FATAL_ERROR "share/${file} was not installed")
    endif()
  endforeach()
endif()
