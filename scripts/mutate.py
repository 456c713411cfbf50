"""The work of scripts/mutate: seeded changes of the library, one at a time, and whether a C++ test notices each.

Five kinds of change by turns: a comparison, a sign, a constant, a condition, a statement. A change that does not
compile is replaced by the next of its kind. Which ones a seed draws depends on the changed lines alone, so that an edit
elsewhere leaves the rest of a run valid. A test program that fails, crashes or takes far too long notices the change.
Some changes make no difference to any caller; they count as survivors, too, so the share is a lower bound."""

import argparse
import hashlib
import json
import math
import os
import re
import resource
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
WORK = ROOT / "build" / "mutation"
SOURCE, BUILD = WORK / "source", WORK / "build"
ROOMS = ["core", "math", "data", "density", "learning", "evaluation", "model_io"]
TESTS = ["core", "math", "data", "features", "density", "conditional", "learning", "evaluation", "model_io", "pipeline"]
ONLY = {"evaluation": ["evaluation", "pipeline"], "model_io": ["model_io", "pipeline"]}  # whose tests use these rooms
MEMORY = 8 << 30  # bytes of a test program: a loop without end must not take the machine with it

# Texts and comments are blanked first, so that a change hits code. `<` and `>` need spaces: others are of templates.
BLANK = re.compile(r'R"(\w*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|(?<!\d)\'(?:\\.|[^\'\\\n])*\'|//[^\n]*|/\*.*?\*/', re.DOTALL)
PREAMBLE = re.compile(r"\s*(#|using |template|namespace |static_assert|\[\[)")
COMPARISON = re.compile(r" (==|!=|<=|>=|<|>) ")
ARITHMETIC = re.compile(r"(?<=[\w)\]]) (\+|-|\*|/|\+=|-=|\*=) (?=[\w(-])")
LOGIC = re.compile(r" (&&|\|\|) ")
CONSTANT = re.compile(r"(?<![\w.'])(\d+(?:\.\d+)?(?:e-?\d+)?)(?![\w.'])")
CONDITION = re.compile(r"\b(?:if|while) \(([^;{}]*)\)(?: \{| [^()]*;| [a-z_:.]+\([^;]*;)?$")
OTHER = "return|throw|const |auto|using|case|else|static|if|for|while"
STATEMENT = re.compile(rf"^ +((?!{OTHER})[\w.>\[\]()*-]+(?: [-+*/]?= |\()[^{{}}]*;)$")
TOKENS = [("comparison", COMPARISON), ("sign", ARITHMETIC), ("constant", CONSTANT), ("condition", LOGIC)]
SWAP = {"==": "!=", "!=": "==", "<": "<=", "<=": "<", ">": ">=", ">=": ">", "&&": "||", "||": "&&",
        "+": "-", "-": "+", "*": "/", "/": "*", "+=": "-=", "-=": "+=", "*=": "/=",
        "0": "1", "0.0": "1.0", "1": "0", "1.0": "0.0"}  # fmt: skip


def balanced(text):
    depths = [text[: i + 1].count("(") - text[: i + 1].count(")") for i in range(len(text))]
    return bool(text) and min(depths) >= 0 and depths[-1] == 0


def changes_of_line(line):
    """(kind, column, old, new) of each change of a line whose texts and comments are blank."""
    if PREAMBLE.match(line):
        return
    for kind, pattern in TOKENS:
        for found in pattern.finditer(line):
            yield kind, found.start(1), found[1], SWAP.get(found[1], f"(2 * {found[1]})")
    condition = CONDITION.search(line)
    if condition and balanced(condition[1]):
        yield "condition", condition.start(1), condition[1], f"!({condition[1]})"
    statement = STATEMENT.match(line)
    if statement and balanced(statement[1]):
        yield "statement", statement.start(1), statement[1], ";"


def drawn(seed):
    """All changes there are, in the seed's order: kinds by turns."""
    kinds = {}
    for room in ROOMS:
        for path in sorted((SOURCE / "src" / room).glob("*.cpp")):
            text, seen = path.read_text(encoding="utf-8"), {}
            file = str(path.relative_to(SOURCE))
            code = BLANK.sub(lambda found: re.sub(r"[^\n]", "\0", found[0]), text).split("\n")
            for number, (line, blanked) in enumerate(zip(text.split("\n"), code), 1):
                seen[line] = seen.get(line, 0) + 1
                for kind, column, old, new in changes_of_line(blanked):
                    old = line[column : column + len(old)]  # with its texts
                    new = f"!({old})" if new.startswith("!(") else new
                    place = column - len(line) + len(line.lstrip())
                    change = {"name": f"{file}|{line.strip()}|{seen[line]}|{place}|{new}", "kind": kind, "file": file,
                              "line": number, "column": column, "old": old, "new": new}  # fmt: skip
                    kinds.setdefault(kind, []).append(change)
    for changes in kinds.values():
        changes.sort(key=lambda change: hashlib.sha256(f"{seed}|{change['name']}".encode()).digest())
    return kinds


def renew_copy():
    """Makes the copy what the tree is, touching only files that differ; says whether any did."""
    wanted = {}
    for top in ("CMakeLists.txt", "cmake", "include", "src", "tests"):
        for path in [ROOT / top] if (ROOT / top).is_file() else sorted((ROOT / top).rglob("*")):
            if path.is_file() and "__pycache__" not in path.parts:
                wanted[SOURCE / path.relative_to(ROOT)] = path.read_bytes()
    # Files of the library are compiled alone, so that a change compiles one.
    wanted[SOURCE / "CMakeLists.txt"] += b"set_target_properties(lacuna lacuna_readers PROPERTIES UNITY_BUILD OFF)\n"
    stale = [path for path in SOURCE.rglob("*") if path.is_file() and path not in wanted]
    differ = [path for path, data in wanted.items() if not path.exists() or path.read_bytes() != data]
    for path in stale:
        path.unlink()
    for path in differ:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(wanted[path])
    return bool(stale or differ)


def build(*targets):
    command = ["cmake", "--build", BUILD, "--target", *targets]
    return subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode == 0


def run_tests(room, limit=None):
    """None when all tests of a room pass, else what failed; they run in parts, one per core."""
    folder, n_parts = WORK / "run", os.cpu_count() or 1
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    command = [BUILD / "tests" / f"test_{room}", "--gtest_fail_fast", "--gtest_filter=-*Slow*"]
    options = {"cwd": folder, "stdin": subprocess.DEVNULL, "stderr": subprocess.STDOUT, "start_new_session": True,
               "preexec_fn": lambda: resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))}  # fmt: skip
    parts = []
    for i in range(n_parts):
        environment = os.environ | {"GTEST_TOTAL_SHARDS": str(n_parts), "GTEST_SHARD_INDEX": str(i)}
        with open(folder / f"{i}.log", "wb") as log:
            parts.append(subprocess.Popen(command, env=environment, stdout=log, **options))
    end = time.monotonic() + (limit or math.inf)
    while time.monotonic() < end and {None} <= {part.poll() for part in parts} <= {None, 0}:
        time.sleep(0.05)
    failed = next((i for i, part in enumerate(parts) if part.poll() not in (None, 0)), None)
    in_time = all(part.poll() is not None for part in parts)
    for part in parts:
        if part.poll() is None:
            os.killpg(part.pid, signal.SIGKILL)
        part.wait()
    if failed is None:
        return None if in_time else f"test_{room} took more than {limit:.0f} s"
    output = (folder / f"{failed}.log").read_bytes().decode(errors="replace")
    named = re.findall(r"^\[  FAILED  \] ([^\s,]+)|^\[ RUN      \] (\S+)", output, re.MULTILINE)
    return next((name for name, _ in named if name), named[-1][1] + " (crash)" if named else f"test_{room} (crash)")


def prepare():
    """Renews the copy, builds it and measures its tests, which must pass. Seconds by room."""
    known = WORK / "seconds.json"
    if renew_copy():
        known.unlink(missing_ok=True)
    options = ["CMAKE_BUILD_TYPE=Debug", "CMAKE_CXX_FLAGS_DEBUG=-O1", "LACUNA_WITH_TORCH=OFF",
               "LACUNA_BUILD_REPORT=OFF", "LACUNA_UNITY=ON", "LACUNA_BROWSER_TESTS=OFF",
               f"LACUNA_TEST_ROOMS={';'.join(TESTS)}"]  # fmt: skip
    if shutil.which("ld.gold"):
        options.append("CMAKE_EXE_LINKER_FLAGS=-fuse-ld=gold")
    command = ["cmake", "-S", SOURCE, "-B", BUILD, "-G", "Ninja", *(f"-D{option}" for option in options)]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    if not build("all"):
        sys.exit(f"mutate: the copy does not build: cmake --build {BUILD}")
    if not known.exists():
        seconds = {}
        for room in TESTS:
            started = time.monotonic()
            if failure := run_tests(room):
                sys.exit(f"mutate: {failure} fails without any change")
            seconds[room] = time.monotonic() - started
        known.write_text(json.dumps(seconds))
    return json.loads(known.read_text())


def judge(change, seconds):
    """The change with its verdict: noticed (and by what), survived or not compiled. The file is put back."""
    path, started = SOURCE / change["file"], time.monotonic()
    text = path.read_text(encoding="utf-8")
    lines = text.split("\n")
    line, column = lines[change["line"] - 1], change["column"]
    lines[change["line"] - 1] = line[:column] + change["new"] + line[column + len(change["old"]) :]
    room = change["file"].split("/")[1]
    users = [user for user in ONLY.get(room, TESTS[TESTS.index(room) :]) if user != room]
    result = change | {"verdict": "survived"}
    path.write_text("\n".join(lines), encoding="utf-8")
    try:
        for user in [room, *sorted(users, key=seconds.get)]:
            if not build(f"test_{user}"):
                result["verdict"] = "not compiled"
                break
            if by := run_tests(user, 20 + 4 * seconds[user]):
                result |= {"verdict": "noticed", "by": by}
                break
    finally:
        path.write_text(text, encoding="utf-8")
    return result | {"seconds": round(time.monotonic() - started, 1)}


def show(judged, count, seed):
    n, noticed = len(judged), sum(result["verdict"] == "noticed" for result in judged)
    if n == 0:
        return print("no change was judged")
    share, z = noticed / n, 1.96  # Wilson's interval
    middle, reach = share + z * z / (2 * n), z * math.sqrt(share * (1 - share) / n + z * z / (4 * n * n))
    low, high = ((middle + sign * reach) / (1 + z * z / n) for sign in (-1, 1))
    print(f"seed {seed}: {n} of {count} changes judged")
    print(f"noticed: {noticed}, {100 * share:.1f} % (95 % interval: {100 * low:.1f} to {100 * high:.1f} %)")
    for result in judged:
        if result["verdict"] == "survived":
            print(f"survived: {result['file']}:{result['line']}: {result['old']} -> {result['new']}")


def main():
    parser = argparse.ArgumentParser(prog="scripts/mutate", description="How many small faults the C++ tests notice.")
    parser.add_argument("--count", type=int, default=300, help="changes that compile and are judged")
    parser.add_argument("--seed", type=int, default=1, help="chooses them")
    parser.add_argument("--minutes", type=float, default=math.inf, help="no change is begun after these")
    parser.add_argument("--again", action="store_true", help="judge those that survived once more")
    arguments = parser.parse_args()
    end = time.monotonic() + 60 * arguments.minutes
    WORK.mkdir(parents=True, exist_ok=True)
    seconds, kinds = prepare(), drawn(arguments.seed)
    file = WORK / f"results-{arguments.seed}.jsonl"
    lines = file.read_text(encoding="utf-8").splitlines() if file.exists() else []
    known = {result["name"]: result for result in map(json.loads, lines)}
    judged = []
    while len(judged) < arguments.count and any(kinds.values()):
        kind = sorted(kinds)[len(judged) % len(kinds)]
        if not kinds[kind]:
            kinds.pop(kind)
            continue
        change = kinds[kind].pop(0)
        result = known.get(change["name"])
        if result is None or arguments.again and result["verdict"] == "survived":
            if time.monotonic() > end:
                if result is None:
                    break
            else:
                result = judge(change, seconds)
                with open(file, "a", encoding="utf-8") as out:
                    out.write(json.dumps(result) + "\n")
                place = f"{result['file']}:{result['line']}"
                print(f"{len(judged) + 1:3} {result['verdict']:12} {place} {result.get('by', '')}", flush=True)
        if result["verdict"] != "not compiled":
            judged.append(result | {"line": change["line"]})
    show(judged, arguments.count, arguments.seed)


if __name__ == "__main__":
    main()
