"""Whether a C++ test notices a change of the library: see scripts/mutate.

All is built once, in a copy of the tree: the library, shared, and the tests. A change then compiles one file and links
one library; the same test programs run with it. The tests of a change are those that enter the function it is in: a
second library whose functions tell when they are entered shows which these are, and how long each test takes. For a
change outside of functions these are the tests that enter any function of the file, or all when none does."""

import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from mutate_changes import changed, function_around

ROOT = Path(__file__).resolve().parents[1]
WORK = ROOT / "build" / "mutation"
SOURCE, BUILD, REACH = WORK / "source", WORK / "build", WORK / "reach"
TESTS = ["core", "math", "data", "features", "density", "conditional", "learning", "evaluation", "model_io", "pipeline"]
MEMORY = 8 << 30  # bytes of a test program: a loop without end must not take the machine with it
BATCH = 3.0  # seconds of tests that one process runs
TELLING = ["-finstrument-functions", "-finstrument-functions-exclude-file-list=/usr/,.hpp", "-g1",
           "-falign-functions=16"]  # fmt: skip
# Files of the library are compiled alone and show all of their functions: a change compiles one, and tests may call it.
ALONE = b"""
get_directory_property(targets BUILDSYSTEM_TARGETS)
foreach(target ${targets})
  get_target_property(type ${target} TYPE)
  if(NOT type STREQUAL "UTILITY")
    set_target_properties(${target} PROPERTIES UNITY_BUILD OFF CXX_VISIBILITY_PRESET default)
  endif()
endforeach()
"""


def run_quietly(command, **options):
    return subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, **options).returncode == 0


def renew_copy():
    """Makes the copy what the tree is, touching only files that differ; gives these."""
    wanted = {}
    for top in ("CMakeLists.txt", "cmake", "include", "src", "tests"):
        for path in [ROOT / top] if (ROOT / top).is_file() else sorted((ROOT / top).rglob("*")):
            if path.is_file() and "__pycache__" not in path.parts:
                wanted[SOURCE / path.relative_to(ROOT)] = path.read_bytes()
    wanted[SOURCE / "CMakeLists.txt"] += ALONE
    stale = [path for path in SOURCE.rglob("*") if path.is_file() and path not in wanted]
    differ = [path for path, data in wanted.items() if not path.exists() or path.read_bytes() != data]
    for path in stale:
        path.unlink()
    for path in differ:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(wanted[path])
    return [path.relative_to(SOURCE) for path in [*stale, *differ]]


def build(n_jobs):
    linker = "-fuse-ld=gold " if shutil.which("ld.gold") else ""
    options = ["CMAKE_BUILD_TYPE=Debug", "CMAKE_CXX_FLAGS_DEBUG=-O1", "BUILD_SHARED_LIBS=ON", "LACUNA_WITH_TORCH=OFF",
               "LACUNA_BUILD_REPORT=OFF", "LACUNA_UNITY=ON", "LACUNA_BROWSER_TESTS=OFF",
               f"LACUNA_TEST_ROOMS={';'.join(TESTS)}",
               f"CMAKE_SHARED_LINKER_FLAGS={linker.strip()}",
               f"CMAKE_EXE_LINKER_FLAGS={linker}-Wl,--enable-new-dtags"]  # fmt: skip
    command = ["cmake", "-S", SOURCE, "-B", BUILD, "-G", "Ninja", *(f"-D{option}" for option in options)]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    if not run_quietly(["cmake", "--build", BUILD, "-j", str(n_jobs)]):
        sys.exit(f"mutate: the copy does not build: cmake --build {BUILD}")


class Library:
    """How the library is compiled and linked, as the build does it."""

    def __init__(self):
        asked = ["ninja", "-C", BUILD, "-t", "commands", "lacuna"]
        said = subprocess.run(asked, check=True, capture_output=True, text=True)
        commands = [shlex.split(line) for line in said.stdout.splitlines()]
        self.compilers = [command for command in commands if "-c" in command]
        self.linker = next(command[2:-2] for command in commands if "-shared" in command)  # between `: &&` and `&& :`
        self.name = next(word for word in self.linker if "-soname," in word).split(",")[-1]

    def compiled(self, command, source, folder, *flags):
        """(The build's object, the one of this source instead); None when it does not compile."""
        usual = command[command.index("-o") + 1]
        target, words = folder / usual.replace("/", "_"), iter(command)
        kept = [word for word in words if word != "-MD" and not (word in ("-MT", "-MF", "-o", "-c") and next(words))]
        done = run_quietly([*kept, "-w", *flags, "-o", target, "-c", source], cwd=BUILD)
        return (usual, target) if done else None

    def linked(self, replaced, folder, *more):
        command = [replaced.get(word, word) for word in self.linker] + [*more]
        command[command.index("-o") + 1] = folder / self.name
        return run_quietly(command, cwd=BUILD)

    def with_change(self, change, folder):
        """Whether the library with this change compiles; it is in the folder then."""
        path = SOURCE / change["file"]
        (folder / path.name).write_text(changed(path.read_text(encoding="utf-8"), change), encoding="utf-8")
        concerned = [command for command in self.compilers if command[-1] == str(path)]
        objects = [self.compiled(command, folder / path.name, folder) for command in concerned]
        return None not in objects and self.linked(dict(objects), folder)

    def telling(self, folder, n_jobs):
        with ThreadPoolExecutor(n_jobs) as pool:
            begun = [pool.submit(self.compiled, words, words[-1], folder, *TELLING) for words in self.compilers]
            objects = [job.result() for job in begun]
        listener = folder / "listener.o"
        compiled = ["c++", "-O2", "-fPIC", "-c", ROOT / "scripts" / "mutate_reach.cpp", "-o", listener]
        if None in objects or not run_quietly(compiled) or not self.linked(dict(objects), folder, listener):
            sys.exit("mutate: the library that tells which functions are entered does not build")


def emptied(folder):
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    return folder


def failure(tests, room, library, job, limit, **environment):
    """None when these tests of a room pass with the library of a folder, else what failed. A job has two cores."""
    folder, cores = emptied(WORK / "jobs" / f"{job}-run"), sorted(os.sched_getaffinity(0))
    own = ",".join(str(cores[(job + i) % len(cores)]) for i in range(2))
    command = ["taskset", "-c", own, "prlimit", f"--as={MEMORY}", BUILD / "tests" / f"test_{room}", "--gtest_fail_fast"]
    environment = os.environ | {"GTEST_FILTER": ":".join(tests), "LD_LIBRARY_PATH": str(library), "TMPDIR": str(folder),
                                **environment}  # fmt: skip
    with open(folder / "log", "wb") as log:
        process = subprocess.Popen(command, cwd=folder, env=environment, stdin=subprocess.DEVNULL, stdout=log,
                                   stderr=subprocess.STDOUT, start_new_session=True)  # fmt: skip
        try:
            code, late = process.wait(limit), ""
        except subprocess.TimeoutExpired:
            code, late = -1, f" (more than {limit:.0f} s)"
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
    if code == 0:
        return None
    output = (folder / "log").read_bytes().decode(errors="replace")
    failed = re.findall(r"^\[  FAILED  \] ([^\s,]+)", output, re.MULTILINE)
    begun = re.findall(r"^\[ RUN      \] (\S+)", output, re.MULTILINE)
    return failed[0] if failed else (begun[-1] if begun else f"test_{room}") + (late or " (crash)")


def names_of_tests(room):
    command = [BUILD / "tests" / f"test_{room}", "--gtest_list_tests", "--gtest_filter=-*Slow*"]
    group, names = "", []
    for line in subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines():
        word = line.split("#")[0].rstrip()
        if line.startswith(" "):
            names.append(group + word.strip())
        elif word.endswith("."):
            group = word
    return names


def measured(n_jobs):
    """Runs each test alone with the telling library: {"tests": [[room, name, seconds]], "entered": {file: {line of a
    function: [numbers of tests]}}}. Tests that fail without any change are left out and named."""
    free, entered, tests, failed = list(range(n_jobs)), {}, [], []

    def run(room, name):
        job = free.pop()
        trace, started = REACH / f"{job}.trace", time.monotonic()
        trace.unlink(missing_ok=True)
        by = failure([name], room, REACH, job, 600, LACUNA_REACH=str(trace))
        seconds, seen = time.monotonic() - started, trace.read_bytes()
        free.append(job)
        return room, name, round(seconds, 2), by, [found.start() * 16 for found in re.finditer(b"\1", seen)]

    names = [(room, name) for room in reversed(TESTS) for name in names_of_tests(room)]
    with ThreadPoolExecutor(n_jobs) as pool:
        for room, name, seconds, by, places in pool.map(lambda pair: run(*pair), names):
            if by:
                failed.append(f"{room}: {by}")
                continue
            for place in places:
                entered.setdefault(place, []).append(len(tests))
            tests.append([room, name, seconds])
    for line in failed:
        print(f"left out, because it fails without any change: {line}", flush=True)
    files = {}
    asked = "\n".join(hex(place) for place in entered)
    command = ["addr2line", "-e", next(REACH.glob("liblacuna*"))]
    said = subprocess.run(command, input=asked, check=True, capture_output=True, text=True).stdout.splitlines()
    for place, where in zip(entered, said, strict=True):
        path, _, line = where.split(" ")[0].rpartition(":")
        if path.startswith(f"{SOURCE}/") and line.isdigit():
            starts = files.setdefault(path[len(str(SOURCE)) + 1 :], {})
            starts[line] = sorted({*starts.get(line, []), *entered[place]})
    return {"tests": tests, "entered": files}


class Judge:
    def __init__(self, n_jobs):
        known = REACH / "reach.json"
        if renewed := renew_copy():
            known.unlink(missing_ok=True)
        if any(path.parts[0] != "tests" for path in renewed):
            emptied(REACH)
        build(n_jobs)
        self.library = Library()
        if not (REACH / self.library.name).exists():
            self.library.telling(REACH, n_jobs)
        if not known.exists():
            known.write_text(json.dumps(measured(n_jobs)))
        reach = json.loads(known.read_text())
        self.tests, self.entered = reach["tests"], reach["entered"]
        self.seconds = {room: sum(test[2] for test in self.tests if test[0] == room) for room in TESTS}

    def batches(self, change):
        """(Room, tests) in the order in which they run: those of the change's own room first, fast ones first."""
        functions = self.entered.get(change["file"], {})
        around = function_around((SOURCE / change["file"]).read_text(encoding="utf-8").split("\n"), change["line"])
        inside = [line for line in functions if around and around[0] <= int(line) <= around[1]]
        numbers = {number for line in inside or functions for number in functions[line]} or range(len(self.tests))
        own = change["file"].split("/")[1]
        chosen = sorted((self.tests[i] for i in numbers), key=lambda t: (t[0] != own, self.seconds[t[0]], t[0], t[2]))
        batches = []
        for room, name, seconds in chosen:
            if not batches or batches[-1][0] != room or batches[-1][2] + seconds > BATCH:
                batches.append([room, [], 0.0])
            batches[-1][1].append(name)
            batches[-1][2] += seconds
        return batches

    def judge(self, change, job):
        """The change with its verdict: noticed (and by what), survived or not compiled."""
        started, folder = time.monotonic(), emptied(WORK / "jobs" / str(job))
        result = change | {"verdict": "survived", "tests": 0}
        if not self.library.with_change(change, folder):
            result["verdict"] = "not compiled"
        else:
            for room, names, seconds in self.batches(change):
                result["tests"] += len(names)
                by = failure(names, room, folder, job, 10 + 5 * seconds)
                if by and not failure(names, room, BUILD, job, 10 + 10 * seconds):  # they pass without the change
                    result |= {"verdict": "noticed", "by": by}
                    break
        return result | {"seconds": round(time.monotonic() - started, 1)}
