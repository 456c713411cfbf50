"""Runs every operation under every fault and tells what became of its files: docs/faults.md."""

import argparse
import os
import shutil
import sys
import time
from pathlib import Path
from types import SimpleNamespace

import call_faults
import dask_faults
import disk_faults
import kill_faults
import malloc_faults
import place_faults
from operations import OPERATIONS
from tally import Tally
from workshop import Workshop

ROOT = Path(__file__).resolve().parents[2]
FAULTS = {  # name: what runs it, and the rows of its tables
    "descriptors": (place_faults.run_descriptors, 40),
    "paths": (place_faults.run_places, 40),
    "disk": (disk_faults.run, 40),
    "calls": (call_faults.run, 40),
    "kills": (kill_faults.run, 300),
    "memory": (malloc_faults.run, 40),
    "dask": (dask_faults.run, 40),
}


def names(text, known, what):
    chosen = text.split(",") if text else list(known)
    for name in chosen:
        if name not in known:
            sys.exit(f"faults: no {what} '{name}'; there are {', '.join(known)}")
    return chosen


def read_arguments(words):
    parser = argparse.ArgumentParser(prog="faults", description=__doc__)
    parser.add_argument("--tool", default=os.environ.get("LACUNA_CLI", ROOT / "build/release/lacuna"), help="the lacuna to try")
    parser.add_argument("--out", default=ROOT / "build/faults", type=Path, help="folder for the tables and the work")
    parser.add_argument("--operations", metavar="A,B,...", help=", ".join(OPERATIONS))
    parser.add_argument("--faults", metavar="A,B,...", help=", ".join(FAULTS))
    parser.add_argument("--kills", metavar="N", default=1000, type=int, help="signals at random times [1000]")
    parser.add_argument("--stride", metavar="N", default=1, type=int, help="try every N-th place only [1: all]")
    parser.add_argument("--seed", metavar="N", default=0, type=int, help="of the random times [0]")
    return parser.parse_args(words)


def main(words=None):
    arguments = read_arguments(words)
    operations = {name: OPERATIONS[name] for name in names(arguments.operations, OPERATIONS, "operation")}
    faults = names(arguments.faults, FAULTS, "fault")
    wishes = SimpleNamespace(operations=operations, kills=arguments.kills, stride=arguments.stride, seed=arguments.seed)
    wishes.package = Path(arguments.tool).resolve().parent / "python"
    folder = arguments.out.resolve()
    folder.mkdir(parents=True, exist_ok=True)
    tool = folder / "lacuna"  # a copy: a build beside this may replace the other
    shutil.copy2(arguments.tool, tool)
    tally = Tally()
    for name in faults:
        run, n_rows = FAULTS[name]
        begin = time.monotonic()
        n_before = sum(tally.counts.values())
        run(Workshop(tool, folder / "work", n_rows), tally, wishes)
        n_runs = sum(tally.counts.values()) - n_before
        print(f"{name}: {n_runs} runs, {tally.n_bad()} bad so far, {time.monotonic() - begin:.0f} s", flush=True)
        document = tally.document(f"# Faults: seed {wishes.seed}, every {wishes.stride}. place")
        (folder / "table.md").write_text(document)
    print(document)
    print(f"faults: {folder / 'table.md'}")
    return 1 if tally.n_bad() else 0


if __name__ == "__main__":
    sys.exit(main())
