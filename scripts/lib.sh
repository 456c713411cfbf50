# Shared by the scripts in this folder; sourced, not run. Leaves the caller in the repository's root.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
exec </dev/null # nothing here asks questions, and a closed stdin must not hand descriptor 0 to a file

export CMAKE_BUILD_PARALLEL_LEVEL=${CMAKE_BUILD_PARALLEL_LEVEL:-$(nproc)}
export CTEST_PARALLEL_LEVEL=${CTEST_PARALLEL_LEVEL:-$(nproc)}
# The compiler cache of those who have one.
if [[ -z ${CMAKE_CXX_COMPILER_LAUNCHER-} ]] && command -v ccache >/dev/null; then
  export CMAKE_CXX_COMPILER_LAUNCHER=ccache
fi

# Shows ninja's counter on a terminal, and nothing elsewhere.
show_progress() {
  if [[ ! -t 1 ]]; then cat >/dev/null; return; fi
  local line
  while IFS= read -r line; do
    if [[ $line =~ ^\[([0-9]+/[0-9]+)\] ]]; then printf '\r  %s ' "${BASH_REMATCH[1]}"; fi
  done
  printf '\r\033[K'
}

# quietly LOG COMMAND...: keeps the output in build/logs/LOG.log and shows its end only on failure.
quietly() {
  local log=build/logs/$1.log
  shift
  mkdir -p build/logs
  if "$@" 2>&1 | tee "$log" | show_progress; then return; fi
  # The first errors are what helps; with several jobs pages of other output may follow them.
  tail -n 30 "$log" >&2
  echo "first errors:" >&2
  grep -m 5 -E 'error:|^CMake Error|undefined reference' "$log" >&2 || true
  echo "failed: $*" >&2
  echo "all of its output is in $log" >&2
  return 1
}

# configure_and_build PRESET LOG [-DNAME=VALUE...] [--target NAME...]
configure_and_build() {
  local preset=$1 log=$2
  shift 2
  local definitions=()
  while [[ ${1-} == -D* ]]; do definitions+=("$1"); shift; done
  quietly "$log-configure" cmake --preset "$preset" "${definitions[@]}"
  quietly "$log-build" cmake --build --preset "$preset" "$@"
}
