"""Lines and branches that gcov counted, by room: coverage.py BUILD [--missing ROOM]; see scripts/coverage.

A line counts once, however many copies of it templates and instruction sets make: it is reached when one of them is. So
does a branch, by its place in the line. Branches to where an exception lands are left out (gcov calls them `throw`), and
so are those of calls that may not return (`fallthrough` and `throw` of one call)."""

import gzip
import json
import subprocess
import sys
import tempfile
from collections import defaultdict
from pathlib import Path

ROOMS = ["core", "math", "data", "density", "conditional", "learning", "evaluation", "model_io"]
AIM = 90.0
ROOT = Path(__file__).resolve().parents[1]


def room_of(name):
    """The room of a file of ours, or None."""
    path = Path(name)
    path = path if path.is_absolute() else ROOT / path
    try:
        parts = path.resolve().relative_to(ROOT).parts
    except ValueError:
        return None, None
    inside = parts[1:2] if parts[0] == "src" else parts[2:3] if parts[:2] == ("include", "lacuna") else ()
    return (inside[0], "/".join(parts)) if inside and inside[0] in ROOMS else (None, None)


def documents(build):
    """What gcov says of each compiled file, one at a time: all together are hundreds of megabytes."""
    for counts in sorted(build.rglob("*.gcda")):
        with tempfile.TemporaryDirectory() as folder:
            command = ["gcov", "--json-format", "--branch-probabilities", str(counts.resolve())]
            subprocess.run(command, cwd=folder, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            for file in Path(folder).glob("*.gcov.json.gz"):
                yield json.loads(gzip.decompress(file.read_bytes()))


def collect(build):
    """file -> line -> count, and file -> (line, place of the branch in it) -> count."""
    lines, branches = defaultdict(lambda: defaultdict(int)), defaultdict(lambda: defaultdict(int))
    for document in documents(build):
        for file in document["files"]:
            room, name = room_of(file["file"])
            if room is None:
                continue
            for line in file["lines"]:
                number = line["line_number"]
                lines[name][number] += line["count"]
                kept = [branch["count"] for branch in line["branches"] if not branch["throw"]]
                if any(branch["throw"] for branch in line["branches"]) and len(kept) == 1:
                    kept = []  # the way on after a call
                for place, count in enumerate(kept):
                    branches[name][number, place] += count
    return lines, branches


def share(counts):
    reached = sum(count > 0 for count in counts)
    return reached, len(counts), 100.0 * reached / max(1, len(counts))


def main():
    if len(sys.argv) not in (2, 4):
        sys.exit("usage: coverage.py BUILD [--missing ROOM]")
    build = Path(sys.argv[1])
    lines, branches = collect(build)
    if not lines:
        sys.exit(f"coverage: no counts below {build}; run scripts/coverage")
    reached = {name: sorted(n for n, count in of.items() if count > 0) for name, of in sorted(lines.items())}
    (build / "coverage.json").write_text(json.dumps(reached))
    print(f"{'room':12} {'lines':>13} {'%':>6}  {'branches':>13} {'%':>6}  to {AIM:.0f} %")
    for room in [*ROOMS, "all"]:
        ours = [name for name in lines if room in ("all", Path(name).parts[1 if name.startswith("src") else 2])]
        n_lines, all_lines, of_lines = share([c for name in ours for c in lines[name].values()])
        n_ways, all_ways, of_ways = share([c for name in ours for c in branches[name].values()])
        distance = "reached" if of_ways >= AIM else f"{AIM - of_ways:.1f}"
        print(f"{room:12} {n_lines:6}/{all_lines:6} {of_lines:6.1f}  {n_ways:6}/{all_ways:6} {of_ways:6.1f}  {distance}")
    if len(sys.argv) == 4:
        for name in sorted(name for name in branches if f"/{sys.argv[3]}/" in name):
            for (line, place), count in sorted(branches[name].items()):
                if count == 0:
                    print(f"{name}:{line}: branch {place} is never taken")


if __name__ == "__main__":
    main()
