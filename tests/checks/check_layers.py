"""Fails on an #include that breaks the order of the rooms. Usage: check_layers.py REPOSITORY

Prints `file:line: what is wrong` for each breach, and exits 1 when there is one.
"""

import re
import sys
from pathlib import Path

# A room may include itself and the rooms before it.
ROOMS = [
    "core", "math", "data", "features", "density", "conditional", "learning", "evaluation", "model_io", "pipeline",
    "report", "experiments",
]  # fmt: skip

# It knows no model, so that it can judge any: fewer rooms than its place would allow.
NARROW = {"evaluation": {"core", "math"}}

# Headers in src/ that later rooms, apps and python may include: doors that users of the library do not see.
# Every other header in src/ is private to its room.
DOORS = {
    "core": {"aligned", "archive_checks", "common_options", "escapes", "files", "index", "interruption", "json_depth", "nearest_name", "order", "ordered_work", "parallel", "pass_place", "registry", "shared_library", "spare_memory", "torch_guard", "torch_library"},
    "math": {"cholesky", "instruction_sets", "lbfgs", "moments", "simd", "special", "symmetric_eigen"},
    "data": {
        "array", "folds", "gather_pass", "kept_rows", "large_table", "moments_pass", "probability_table", "row_pass", "row_rule", "standard_input", "table_copy",
        "table_files", "table_rows", "whole_table",
    },
    "density": {"column_shapes", "mixture_passes", "shaped_density"},
    "conditional": {
        "boosting", "calibration", "class_prior", "forest", "logistic", "logistic_inputs", "probabilities", "stack",
        "xgboost_library",
    },
    "model_io": {"archive_file"},
    "pipeline": {"json_parts", "judge", "labeled_blocks", "plain_models", "remote_table", "row_sample", "scored_source", "stack_json"},
    "learning": {"cover", "labeling_test", "overlap", "region_pass", "trust_curve", "unlabeled_rows", "unlabeled_sample"},
    "experiments": {"demo", "reproduce", "simulate", "toys"},
}

# Libraries that stay behind one door: header pattern, name, and the places that may include it.
CONFINED = [
    (re.compile(r"boost/"), "Boost", ("src/math/", "tests/math/")),
    (re.compile(r"(torch|ATen|c10)/"), "torch", ("src/core/torch/", "src/density/torch/", "src/features/torch/")),
    (re.compile(r"mpi\.h$"), "MPI", ("src/distributed/",)),
    (re.compile(r"pybind11/|Python\.h$"), "Python", ("python/bindings/",)),
    (re.compile(r"CLI/"), "CLI11", ("apps/lacuna/command_line.cpp",)),
    (re.compile(r"toml\+\+/"), "toml++", ("apps/lacuna/config_file.cpp",)),
]

STANDARD = set(
    """
    algorithm any array atomic barrier bit bitset charconv chrono codecvt compare complex concepts
    condition_variable coroutine deque exception execution filesystem forward_list fstream functional future
    initializer_list iomanip ios iosfwd iostream istream iterator latch limits list locale map memory
    memory_resource mutex new numbers numeric optional ostream queue random ranges ratio regex scoped_allocator
    semaphore set shared_mutex span sstream stack stdexcept stop_token streambuf string string_view strstream
    syncstream system_error thread tuple type_traits typeindex typeinfo unordered_map unordered_set utility
    valarray variant vector version
    cassert cctype cerrno cfenv cfloat cinttypes climits clocale cmath csetjmp csignal cstdarg cstddef cstdint
    cstdio cstdlib cstring ctime cuchar cwchar cwctype
    """.split()
)

# The header that includes all the others belongs to no room.
UMBRELLA = "include/lacuna/lacuna.hpp"

# Test code that belongs to no room and may look into each.
INSIGHT = ("bench/", "fuzz/")

INCLUDE = re.compile(r'^\s*#\s*include\b\s*(?:<([^>]+)>|"([^"]+)")?')


def allowed_rooms(room):
    below = set(ROOMS[: ROOMS.index(room)])
    return {room} | (NARROW.get(room, below))


def room_of_file(path):
    """The room a file of the repository belongs to; None for apps, python, bench, fuzz and examples."""
    parts = path.split("/")
    if path == UMBRELLA:
        return None
    if path.startswith("include/lacuna/"):
        return parts[2]
    if path.startswith("src/"):
        return parts[1]
    if path.startswith("tests/"):
        return parts[1] if parts[1] in ROOMS else None
    return None


def is_inside(path):
    """Whether a file is built together with the library, unlike examples and the tests' consumer."""
    return room_of_file(path) is not None or path.startswith(("apps/", "python/"))


def resolve(root, path, header, quoted):
    """The repository path that an #include names, or None for a header from outside."""
    if header.startswith("lacuna/"):
        return "include/" + header
    if not quoted:
        return None
    for base in (root / Path(path).parent, root / "src", root):
        found = (base / header).resolve()
        if found.is_file() and found.is_relative_to(root):
            return found.relative_to(root).as_posix()
    return None


def breach(root, path, header, quoted):
    """Says what is wrong with one #include, or returns None."""
    room = room_of_file(path)
    target = resolve(root, path, header, quoted)
    if target is None:
        if path.startswith("include/") and header not in STANDARD:
            return f"<{header}> in a public header; only the standard library and lacuna headers belong there"
        for pattern, name, places in CONFINED:
            if pattern.match(header) and not path.startswith(places):
                return f"<{header}>: {name} may be included only in {' and '.join(places)}"
        return None
    target_room = room_of_file(target)
    if target.startswith("src/"):
        if path.startswith("include/"):
            return f'"{header}" is private to src/{target_room}; a public header cannot include it'
        is_door = Path(target).stem in DOORS.get(target_room, ())
        if not path.startswith(INSIGHT) and room != target_room and not (is_door and is_inside(path)):
            return f'"{header}" is private to src/{target_room}; only that room and its tests may include it'
    if target_room is not None and not path.startswith("tests/") and room is not None:
        if target_room not in allowed_rooms(room):
            rooms = ", ".join(other for other in ROOMS if other in allowed_rooms(room))
            return f'"{header}": {room} may include only {rooms}'
    return None


def check(root):
    root = Path(root).resolve()
    breaches = []
    n_files = 0
    for folder in ("include", "src", "apps", "python", "tests", "bench", "fuzz", "examples"):
        for file in sorted((root / folder).rglob("*")):
            if file.suffix not in (".hpp", ".cpp", ".h", ".ipp"):
                continue
            n_files += 1
            path = file.relative_to(root).as_posix()
            room = room_of_file(path)
            if folder in ("include", "src") and room not in ROOMS and path != UMBRELLA:
                breaches.append(f"{path}:1: no room of this name; give '{room}' its place in tests/checks/check_layers.py")
                continue
            for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1):
                match = INCLUDE.match(line)
                if not match:
                    continue
                header = match[1] or match[2]
                text = breach(root, path, header, match[2] is not None) if header else "an #include by macro"
                if text:
                    breaches.append(f"{path}:{number}: {text}")
    return n_files, breaches


def main():
    if len(sys.argv) != 2:
        sys.exit("usage: check_layers.py REPOSITORY")
    n_files, breaches = check(sys.argv[1])
    if n_files == 0:
        sys.exit(f"check_layers: no C++ file below {sys.argv[1]}")
    for text in breaches:
        print(text)
    sys.exit(1 if breaches else 0)


if __name__ == "__main__":
    main()
