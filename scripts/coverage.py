"""Lines and branches that clang counted, by room: coverage.py BUILD [--missing ROOM]; see scripts/coverage.

A branch is one outcome, true or false, of one condition of the source: each side of && and || is a condition, and so is
each case of a switch. A branch counts once, however many copies templates, instruction sets and test programs make: it
is taken when one of them takes it. Where an exception may go is no branch. Conditions that the compiler decides are
left out.

One error is known, and it is in our favour: clang infers the false side as runs less true ones, so a condition that is
left by an exception counts as false."""

import json
import subprocess
import sys
from bisect import bisect_right
from pathlib import Path

ROOMS = ["core", "math", "data", "density", "learning", "evaluation", "model_io"]
AIM = 90.0
ROOT = Path(__file__).resolve().parents[1]


def room_of(name):
    """The room of a file of ours and its name in the repository; None for both elsewhere."""
    path = Path(name)
    parts = path.relative_to(ROOT).parts if path.is_relative_to(ROOT) else ()
    inside = parts[1:2] if parts[:1] == ("src",) else parts[2:3] if parts[:2] == ("include", "lacuna") else ()
    return (inside[0], "/".join(parts)) if inside and inside[0] in ROOMS else (None, None)


def counted_files(build):
    """What all test programs together say of each file."""
    programs = sorted(path for path in (build / "tests").glob("test_*") if path.is_file() and path.suffix == "")
    profiles = sorted((build / "profiles").glob("*.profraw"))
    if not programs or not profiles:
        sys.exit(f"coverage: no counts below {build}; run scripts/coverage")
    merged = build / "profiles" / "merged.profdata"
    subprocess.run(["llvm-profdata-14", "merge", "-o", merged, *profiles], check=True)
    others = [word for program in programs[1:] for word in ("-object", program)]
    command = ["llvm-cov-14", "export", "-skip-functions", "-instr-profile", merged, programs[0], *others]
    # It warns of "mismatched data": inline functions that one program uses and another only sees. The first one counts.
    said = subprocess.run(command, capture_output=True)
    if said.returncode != 0:
        sys.exit(said.stderr.decode())
    return json.loads(said.stdout)["data"][0]["files"]


def outcomes(file):
    """(line, column, outcome) -> how often, for the conditions of one file."""
    places = [tuple(segment[:2]) for segment in file["segments"]]
    counts = {}
    for line, column, _, _, n_true, n_false, *_ in file["branches"]:
        for outcome, count in ((True, n_true), (False, n_false)):
            counts[line, column, outcome] = counts.get((line, column, outcome), 0) + count

    def decided_by_compiler(line, column):
        """It ran, but was neither true nor false."""
        runs = file["segments"][bisect_right(places, (line, column)) - 1][2]
        return runs > 0 and not counts[line, column, True] and not counts[line, column, False]

    return {place: count for place, count in counts.items() if not decided_by_compiler(*place[:2])}


def main():
    if len(sys.argv) not in (2, 4) or len(sys.argv) == 4 and sys.argv[2] != "--missing":
        sys.exit("usage: coverage.py BUILD [--missing ROOM]")
    rows = {room: [0, 0, 0, 0] for room in [*ROOMS, "all"]}
    missing = []
    for file in counted_files(Path(sys.argv[1])):
        room, name = room_of(file["filename"])
        if room is None:
            continue
        ways, lines = outcomes(file), file["summary"]["lines"]
        for row in (rows[room], rows["all"]):
            for i, n in enumerate((lines["covered"], lines["count"], sum(n > 0 for n in ways.values()), len(ways))):
                row[i] += n
        if room == sys.argv[-1]:
            missing += [(name, *place) for place, count in sorted(ways.items()) if count == 0]
    print(f"{'room':12} {'lines':>13} {'%':>6}  {'branches':>13} {'%':>6}  to {AIM:.0f} %")
    for room, (n_lines, all_lines, n_ways, all_ways) in rows.items():
        of_lines, of_ways = (100.0 * n / max(1, of) for n, of in ((n_lines, all_lines), (n_ways, all_ways)))
        distance = "reached" if of_ways >= AIM else f"{AIM - of_ways:.1f} missing"
        lines, ways = f"{n_lines:6}/{all_lines:6} {of_lines:6.1f}", f"{n_ways:6}/{all_ways:6} {of_ways:6.1f}"
        print(f"{room:12} {lines}  {ways}  {distance}")
    for name, line, column, outcome in missing:
        print(f"{name}:{line}:{column}: never {str(outcome).lower()}")


if __name__ == "__main__":
    main()
